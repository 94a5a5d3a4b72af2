package dht.replication;

import dht.storage.Dao;
import dht.storage.EntryCursor;
import dht.storage.ReadOutcome;
import dht.storage.WriteListener;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A storage that stores nothing, and fails when a test wants it. Thread-safe. */
final class FailingDao implements Dao {
    private final Queue<WriteListener> held = new ConcurrentLinkedQueue<>();
    private volatile Runnable beforeWork = () -> {};
    private volatile boolean holdsWrites;
    private volatile long newestMicros;
    private volatile ReadOutcome found = ReadOutcome.Absent.INSTANCE;
    private final Queue<Long> stamps = new ConcurrentLinkedQueue<>();
    private final Queue<byte[]> keys = new ConcurrentLinkedQueue<>();

    /** Has something done before it works; what that throws, the storage throws. */
    void beforeWork(Runnable action) {
        beforeWork = action;
    }

    /** Has writes wait, as for a sync, until the test notifies their listeners. */
    void holdWrites() {
        holdsWrites = true;
    }

    /** Has every key have a version of this stamp. */
    void holdVersion(long timestampMicros) {
        newestMicros = timestampMicros;
    }

    /** Has every read find this. */
    void find(ReadOutcome outcome) {
        found = outcome;
    }

    /** Stamps of the writes that it was given, in their order. */
    List<Long> stamps() {
        return List.copyOf(stamps);
    }

    /** Keys of the writes that it was given, in their order. */
    List<byte[]> keys() {
        return List.copyOf(keys);
    }

    /** The listener of the oldest write that waits. */
    WriteListener nextHeld() {
        return held.remove();
    }

    private void accept(byte[] key, long timestampMicros, WriteListener listener) {
        beforeWork.run();
        keys.add(key);
        stamps.add(timestampMicros);
        if (holdsWrites) {
            held.add(listener);
        } else {
            listener.durable();
        }
    }

    @Override
    public ReadOutcome get(byte[] key) {
        beforeWork.run();
        return found;
    }

    @Override
    public void upsert(
            byte[] key, MemorySegment value, long timestampMicros, WriteListener listener) {
        accept(key, timestampMicros, listener);
    }

    @Override
    public void delete(byte[] key, long timestampMicros, WriteListener listener) {
        accept(key, timestampMicros, listener);
    }

    @Override
    public long newestTimestampMicros(byte[] key, long fromMicros) {
        beforeWork.run();
        return newestMicros >= fromMicros ? newestMicros : 0;
    }

    @Override
    public EntryCursor range(byte[] from, byte[] to) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void flush() {}

    @Override
    public void compact() {}

    @Override
    public long greatestTimestampMicros() {
        return 0;
    }

    @Override
    public void close() {}
}
