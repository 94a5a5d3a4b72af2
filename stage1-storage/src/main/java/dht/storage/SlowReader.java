package dht.storage;

/**
 * A reader that keeps memtables or tables in use until its client has read the answer.
 *
 * <p>Seam between the storage and the code that sends values to clients: the storage calls these
 * methods when too much is kept only for readers. Thread-safe.
 */
public interface SlowReader {
    /**
     * How fast its client reads; {@link Long#MAX_VALUE} while the server has waited less than one
     * second for the client.
     */
    long bytesPerSecond();

    /** Continues with a copy and releases the memtables and tables, if the reader can do that. */
    void copy();

    /**
     * Closes the connection of its client, and releases the memtables and tables: at once, or when
     * a read that is running has ended. Called once, unless the call fails.
     */
    void cutOff();
}
