package dht.storage;

/**
 * A reader that holds on to memtables or tables for as long as its client takes to read.
 *
 * <p>Seam of the storage to those who send what it holds: the storage tells a reader to let go when
 * too much is kept for readers alone. Thread-safe.
 */
public interface SlowReader {
    /**
     * How fast its client takes what it is sent; {@link Long#MAX_VALUE} as long as nobody had to
     * wait for it.
     */
    long bytesPerSecond();

    /** Goes on with a copy of its own and lets go of what it holds, if it can. */
    void copy();

    /** Lets go of what it holds, and ends its client's connection. */
    void cutOff();
}
