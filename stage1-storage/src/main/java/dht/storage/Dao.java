package dht.storage;

import java.lang.foreign.MemorySegment;

/**
 * An ordered map from keys to versioned values that outlives its process.
 *
 * <p>A key is 1 to {@value #MAX_KEY_BYTES} bytes, ordered as unsigned bytes; a value is 0 to
 * {@value #MAX_VALUE_BYTES} bytes. Each version of a key carries the stamp it was written with. The
 * greater stamp wins, whatever the order of arrival; on a tie a tombstone wins over a value, and
 * the greater value bytes over the lesser.
 *
 * <p>Seam: every stage wraps or calls a {@code Dao} of its own node; tests hand in an engine over a
 * simulated disk.
 *
 * <p>Thread-safe. A read sees every write that was acknowledged before the read began. After {@link
 * #close()} every method but {@code close} throws {@link StorageUnavailableException}.
 */
public interface Dao extends AutoCloseable {
    /** Two more than a client's key has, for keys that a later stage makes from clients' keys. */
    int MAX_KEY_BYTES = 1026;

    int MAX_VALUE_BYTES = 16 << 20;

    /**
     * Finds the newest version of a key.
     *
     * @throws CorruptionException if a part of the data that could hold the key fails its checksum
     */
    ReadOutcome get(byte[] key);

    /**
     * The stamp of the newest version of a key, if it is at least {@code fromMicros}, else 0. Looks
     * only where such a version may be: for a recent stamp in little more than the memtables,
     * however much there is.
     *
     * <p>Seam: from stage 4 on, a replica tells a write that comes late from one that is new.
     *
     * @throws CorruptionException if a part of the data that could hold such a version fails its
     *     checksum
     */
    long newestTimestampMicros(byte[] key, long fromMicros);

    /**
     * Opens a cursor over the entries from {@code from} (inclusive) to {@code to} (exclusive), as
     * they are now: writes that come later don't show. Tombstones do show, so that a caller can
     * stop after a short time between any two entries, even if most of them are deleted.
     *
     * @param from the least key, or null to begin with the first
     * @param to the key to stop before, or null to go on to the last
     */
    EntryCursor range(byte[] from, byte[] to);

    /**
     * Writes a version of a key. Holds no thread while the write becomes durable: the listener is
     * notified then, in this thread before the method returns, or later. The caller may reuse key
     * and value as soon as the method returns.
     *
     * @throws StorageUnavailableException if the write was refused; it has left no trace, and the
     *     listener is not called
     */
    void upsert(byte[] key, MemorySegment value, long timestampMicros, WriteListener listener);

    /**
     * Writes a tombstone for a key, whether or not the key is there; otherwise as {@link
     * #upsert(byte[], MemorySegment, long, WriteListener)}.
     *
     * @throws StorageUnavailableException if the write was refused; it has left no trace, and the
     *     listener is not called
     */
    void delete(byte[] key, long timestampMicros, WriteListener listener);

    /**
     * Writes a version of a key, and returns when it is durable: for a caller whose thread may
     * wait.
     *
     * @throws StorageUnavailableException if the write was refused; it has left no trace
     * @throws StorageException if it is unknown whether the write survives
     */
    default void upsert(byte[] key, MemorySegment value, long timestampMicros) {
        AwaitedWrite write = new AwaitedWrite();
        upsert(key, value, timestampMicros, write);
        write.await();
    }

    /**
     * Writes a tombstone for a key, and returns when it is durable: for a caller whose thread may
     * wait.
     *
     * @throws StorageUnavailableException if the write was refused; it has left no trace
     * @throws StorageException if it is unknown whether the write survives
     */
    default void delete(byte[] key, long timestampMicros) {
        AwaitedWrite write = new AwaitedWrite();
        delete(key, timestampMicros, write);
        write.await();
    }

    /** Moves what is in memory to tables, and returns when it is there. */
    void flush();

    /** Merges all tables into one, and returns when it is done. */
    void compact();

    /**
     * The greatest stamp of any version held, or 0 if there is none. A clock that stamps new writes
     * must start above it.
     */
    long greatestTimestampMicros();

    /** Flushes, stops background work, and frees the data directory. A second call does nothing. */
    @Override
    void close();
}
