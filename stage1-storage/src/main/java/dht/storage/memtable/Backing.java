package dht.storage.memtable;

/**
 * The log file and the memory of a memtable. One of these methods is called, exactly once, when
 * nobody reads the memtable any more.
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
