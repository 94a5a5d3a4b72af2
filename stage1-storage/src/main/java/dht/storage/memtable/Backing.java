package dht.storage.memtable;

/**
 * The log file and the memory of a memtable. When no thread uses the memtable any more, one of
 * these methods is called, once, by one thread.
 */
public interface Backing {
    /**
     * The log is not needed any more, because its entries are in a table. File and memory may be
     * reused or deleted.
     */
    void recycle();

    /** This process does not need the log any more, but the next process does. */
    void detach();
}
