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
     * @throws CorruptionException if the next entry fails its checksum, or cannot be read
     */
    boolean next();

    /**
     * The current entry. It is valid until the next call of {@link #next} or {@link #close}. The
     * object may be another one after each call of {@code next}.
     */
    EntryView entry();

    /**
     * Sets the reader of this cursor. This is needed if the reader may be slow: the storage calls
     * the reader when memtables and tables must be released. By default, this method does nothing.
     */
    default void watch(SlowReader reader) {}

    @Override
    void close();
}
