package dht.storage;

import java.lang.foreign.MemorySegment;

/**
 * An ordered map from keys to versioned values that survives the end of the process.
 *
 * <p>A key is 1 to {@value #MAX_KEY_BYTES} bytes, ordered as unsigned bytes; a value is 0 to
 * {@value #MAX_VALUE_BYTES} bytes. Each version of a key has the stamp of its write. The version
 * with the greatest stamp wins, in any order of arrival. If stamps are equal, a tombstone wins over
 * a value, and greater value bytes over lesser ones.
 *
 * <p>Seam: every stage uses the {@code Dao} of its node. Tests use an engine over a simulated disk.
 *
 * <p>Thread-safe. A read sees every write that was acknowledged before the read began. After {@link
 * #close()} every method but {@code close} throws {@link StorageUnavailableException}.
 */
public interface Dao extends AutoCloseable {
    /** Two bytes more than for clients: stage 4 puts its own bytes before their keys. */
    int MAX_KEY_BYTES = 1026;

    int MAX_VALUE_BYTES = 16 << 20;

    /**
     * Finds the newest version of a key. The caller must close the outcome.
     *
     * @throws CorruptionException if a part of the data that could hold the key fails its checksum,
     *     or cannot be read
     */
    ReadOutcome get(byte[] key);

    /**
     * The stamp of the newest version of a key, if it is at least {@code fromMicros}, else 0. For a
     * recent stamp this is fast: it searches little more than the memtables, because it skips
     * tables whose versions are all older.
     *
     * <p>Seam: from stage 4 on, a replica uses this to detect that a write arrives after a newer
     * one.
     *
     * @throws CorruptionException if a part of the data that could hold such a version fails its
     *     checksum, or cannot be read
     */
    long newestTimestampMicros(byte[] key, long fromMicros);

    /**
     * Opens a cursor over the entries from {@code from} (inclusive) to {@code to} (exclusive), as
     * they are now, without later writes. It includes tombstones: so a caller can stop after a
     * short time between two entries, even if most entries are deleted. The caller must close the
     * cursor.
     *
     * @param from the smallest key, or null to begin with the first
     * @param to the key to stop before, or null to end with the last
     * @throws CorruptionException if a block that could contain the first entry fails its checksum,
     *     or cannot be read
     */
    EntryCursor range(byte[] from, byte[] to);

    /**
     * Writes a version of a key. Does not wait until the write is durable, but may wait for a
     * memtable: see {@link StorageOptions#writeStallMax}. The listener is notified when the write
     * is durable: either in this thread before the method returns, or in another thread at any
     * time. The caller may reuse key and value as soon as the method returns.
     *
     * @throws IllegalArgumentException if the length of key or value is out of its bounds
     * @throws CorruptionException if an earlier version of the key cannot be read; the write has
     *     left no trace, and the listener is not called
     * @throws StorageUnavailableException if the write was refused; it has left no trace, and the
     *     listener is not called
     */
    void upsert(byte[] key, MemorySegment value, long timestampMicros, WriteListener listener);

    /**
     * Writes a tombstone for a key, even if there is no such key; otherwise as {@link
     * #upsert(byte[], MemorySegment, long, WriteListener)}, with the same exceptions.
     */
    void delete(byte[] key, long timestampMicros, WriteListener listener);

    /**
     * Writes a version of a key, and waits until it is durable.
     *
     * @throws IllegalArgumentException if the length of key or value is out of its bounds
     * @throws CorruptionException if an earlier version of the key cannot be read; the write has
     *     left no trace
     * @throws StorageUnavailableException if the write was refused; it has left no trace
     * @throws StorageException if it is unknown whether the write survives
     */
    default void upsert(byte[] key, MemorySegment value, long timestampMicros) {
        AwaitedWrite write = new AwaitedWrite();
        upsert(key, value, timestampMicros, write);
        write.await();
    }

    /**
     * Writes a tombstone for a key, and waits until it is durable.
     *
     * @throws IllegalArgumentException if the length of the key is out of its bounds
     * @throws CorruptionException if an earlier version of the key cannot be read; the write has
     *     left no trace
     * @throws StorageUnavailableException if the write was refused; it has left no trace
     * @throws StorageException if it is unknown whether the write survives
     */
    default void delete(byte[] key, long timestampMicros) {
        AwaitedWrite write = new AwaitedWrite();
        delete(key, timestampMicros, write);
        write.await();
    }

    /**
     * Writes all memtables to tables, and waits for it.
     *
     * @throws StorageException if that failed: the entries stay in memory, and in the logs if there
     *     are any; or if the thread was interrupted while it waited: the work goes on
     */
    void flush();

    /**
     * Merges all tables into one, and waits for it.
     *
     * @throws StorageException if that failed: the tables stay as they were; or if the thread was
     *     interrupted while it waited: a merge that has begun goes on
     */
    void compact();

    /**
     * The greatest stamp of all versions so far, even if they no longer exist; 0 if there was none.
     * A clock for new writes must start above it.
     */
    long greatestTimestampMicros();

    /**
     * Writes all memtables to tables, stops background work, and unlocks the directory. If logs
     * have the entries, it stops writing tables after a short time, because the next start can read
     * the logs. A second call does nothing.
     *
     * @throws StorageException if entries that are in no log could not be flushed
     */
    @Override
    void close();
}
