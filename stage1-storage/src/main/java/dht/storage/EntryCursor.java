package dht.storage;

/**
 * An iterator over entries in key order, each key once. It starts before the first entry.
 *
 * <p>Used by one thread at a time. It must be closed, because it keeps memtables and tables in use.
 */
public interface EntryCursor extends AutoCloseable {
    /**
     * Moves to the next entry.
     *
     * @return false at the end
     * @throws CorruptionException if the next entry fails its checksum
     */
    boolean next();

    /** The current entry: always the same object, valid until the next call of {@link #next}. */
    EntryView entry();

    /**
     * Sets the reader of this cursor. This is needed if the reader may be slow: the storage calls
     * the reader when memtables and tables must be released.
     */
    default void watch(SlowReader reader) {}

    @Override
    void close();
}
