package dht.storage;

/**
 * Walks entries in key order, each key once. Starts before the first entry.
 *
 * <p>Not thread-safe, but may be handed from thread to thread. Close it: it holds on to what it
 * reads.
 */
public interface EntryCursor extends AutoCloseable {
    /**
     * Moves to the next entry.
     *
     * @return false at the end
     * @throws CorruptionException if the next entry fails its checksum
     */
    boolean next();

    /**
     * The entry under the cursor: the same object each time, valid until the next call of {@link
     * #next}.
     */
    EntryView entry();

    /**
     * Says who reads with this cursor and may be slow, so that it is told when it must let go.
     * Nobody is told otherwise.
     */
    default void watch(SlowReader reader) {}

    @Override
    void close();
}
