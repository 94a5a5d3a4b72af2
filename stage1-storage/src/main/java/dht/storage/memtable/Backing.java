package dht.storage.memtable;

/**
 * The log file and the memory that a memtable lies in. One of these is called, once, when nobody
 * reads the memtable any more.
 */
public interface Backing {
    /**
     * The log is done with, as its entries are in a table: file and memory may serve again, or go.
     */
    void recycle();

    /** The log is still needed, by the next process: only this one is done with it. */
    void detach();
}
