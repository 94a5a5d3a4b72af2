package dht.benchmarks.storage;

import dht.storage.EntryCursor;
import dht.storage.ReadOutcome;
import dht.storage.StorageOptions;
import dht.storage.StorageUnavailableException;
import dht.storage.TimestampClock;
import dht.storage.file.LocalDirectory;
import dht.storage.lsm.LsmDao;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.InstantSource;

/** The engine of stage 1, with its defaults. */
final class WorkbookEngine implements Engine {
    private final LsmDao dao;
    private final TimestampClock clock;

    WorkbookEngine(Path directory) throws IOException {
        this.dao = LsmDao.open(LocalDirectory.open(directory), StorageOptions.defaults());
        this.clock = new TimestampClock(InstantSource.system(), dao.greatestTimestampMicros());
    }

    @Override
    public void put(byte[] key, byte[] value) {
        while (true) {
            try {
                dao.upsert(key, MemorySegment.ofArray(value), clock.nextMicros());
                return;
            } catch (StorageUnavailableException overload) {
                Thread.yield(); // The others stall inside of put.
            }
        }
    }

    @Override
    public byte[] get(byte[] key) {
        try (ReadOutcome outcome = dao.get(key)) {
            return outcome instanceof ReadOutcome.Found found
                    ? found.value().toArray(ValueLayout.JAVA_BYTE)
                    : null;
        }
    }

    @Override
    public long range(byte[] from, int countMax) {
        long bytes = 0;
        int count = 0;
        try (EntryCursor entries = dao.range(from, null)) {
            while (count < countMax && entries.next()) {
                if (!entries.entry().isTombstone()) {
                    bytes += entries.entry().copyValue().length;
                    count++;
                }
            }
        }
        return bytes;
    }

    @Override
    public void settle() {
        dao.flush();
        dao.compact();
    }

    @Override
    public void close() {
        dao.close();
    }
}
