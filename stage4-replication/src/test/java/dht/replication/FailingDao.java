package dht.replication;

import dht.storage.Dao;
import dht.storage.EntryCursor;
import dht.storage.ReadOutcome;
import dht.storage.WriteListener;
import java.lang.foreign.MemorySegment;

/** A storage that keeps nothing, and fails as the test wants. Thread-safe. */
final class FailingDao implements Dao {
    private volatile Runnable beforeWork = () -> {};

    /** Has something done before it works; what that throws, the storage throws. */
    void beforeWork(Runnable action) {
        beforeWork = action;
    }

    @Override
    public ReadOutcome get(byte[] key) {
        beforeWork.run();
        return ReadOutcome.Absent.INSTANCE;
    }

    @Override
    public void upsert(
            byte[] key, MemorySegment value, long timestampMicros, WriteListener listener) {
        beforeWork.run();
        listener.durable();
    }

    @Override
    public void delete(byte[] key, long timestampMicros, WriteListener listener) {
        beforeWork.run();
        listener.durable();
    }

    @Override
    public long newestTimestampMicros(byte[] key, long fromMicros) {
        throw new UnsupportedOperationException();
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
