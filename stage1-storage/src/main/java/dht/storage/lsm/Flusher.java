package dht.storage.lsm;

import dht.storage.EntryCursor;
import dht.storage.StorageOptions;
import dht.storage.compaction.CompactionPolicy;
import dht.storage.file.StorageDirectory;
import dht.storage.memtable.MemTable;
import dht.storage.sstable.SSTable;
import dht.storage.sstable.SSTableWriter;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies a spare memtable ready, and turns memtables into tables, the oldest first, at a {@link
 * Throttle} that leaves the processors to others until a second one waits. Used by one thread.
 */
final class Flusher {
    private static final Logger LOG = LoggerFactory.getLogger(Flusher.class);

    /** Work of a millisecond or so. */
    private static final long REST_AFTER_BYTES = 64 << 10;

    /** The one that is written to, and the one that is being flushed. */
    private static final int MEMTABLES_USUAL = 2;

    private final StorageDirectory directory;
    private final StorageOptions options;
    private final CompactionPolicy policy;
    private final VersionSet versions;
    private final MemTablePool pool;
    private final WritePath writePath;
    private final SSTableFactory tables;
    private final Runnable onFlushed;
    private final Throttle throttle;

    /**
     * @param onFlushed called when there is another table
     */
    Flusher(
            StorageDirectory directory,
            StorageOptions options,
            CompactionPolicy policy,
            VersionSet versions,
            MemTablePool pool,
            WritePath writePath,
            SSTableFactory tables,
            Throttle throttle,
            Runnable onFlushed) {
        this.directory = directory;
        this.options = options;
        this.policy = policy;
        this.versions = versions;
        this.pool = pool;
        this.writePath = writePath;
        this.tables = tables;
        this.throttle = throttle;
        this.onFlushed = onFlushed;
    }

    /** Provides the first memtable to write to, if the disk has room for it. */
    void begin() {
        IOException noSpare = offerSpare();
        if (noSpare != null) {
            LOG.error("writes are refused: {}", noSpare.getMessage());
        }
    }

    /** Does all that can be done now. */
    void work() throws IOException {
        IOException noSpare = provideSpare();
        while (flushOldest()) {
            noSpare = provideSpare();
        }
        if (noSpare != null) {
            throw noSpare;
        }
    }

    private IOException provideSpare() {
        if (!writePath.wantsSpare() || versions.memTableCount() >= options.memTableCountMax()) {
            return null;
        }
        return offerSpare();
    }

    private IOException offerSpare() {
        try {
            writePath.offerSpare(pool.take());
            return null;
        } catch (IOException e) {
            writePath.refuseUntilSpare(e);
            return new IOException(
                    "cannot begin a log: path=" + directory + ": " + e.getMessage(), e);
        }
    }

    private boolean flushOldest() throws IOException {
        Version version = versions.pin();
        try {
            if (!isAnyWaiting(version.memTables()) || policy.isFull(version.tables().size())) {
                return false;
            }
            flush(version.memTables().getLast());
            return true;
        } finally {
            version.release();
        }
    }

    /** Whether there is a memtable but the one that is being written to. */
    private static boolean isAnyWaiting(List<MemTable> memTables) {
        return memTables.size() > 1 || memTables.size() == 1 && memTables.getFirst().log() == null;
    }

    /** Flushes all memtables, when no more writes come. */
    void flushAll() throws IOException {
        Version version = versions.pin();
        try {
            for (MemTable memTable : version.memTables().reversed()) {
                flush(memTable);
            }
        } finally {
            version.release();
        }
    }

    private void flush(MemTable memTable) throws IOException {
        versions.checkStorable();
        long startNanos = System.nanoTime();
        throttle.begin();
        SSTable table = tables.make(memTable.entryCount(), writer -> addAll(memTable, writer));
        versions.replaceFlushed(memTable, table);
        if (table != null) {
            LOG.debug(
                    "flushed table={} entries={} bytes={} millis={}",
                    table,
                    table.entryCount(),
                    table.fileBytes(),
                    (System.nanoTime() - startNanos) / 1_000_000);
            onFlushed.run();
        }
    }

    private void addAll(MemTable memTable, SSTableWriter writer) throws IOException {
        try (EntryCursor entries = memTable.cursorOverAll()) {
            long restAtBytes = REST_AFTER_BYTES;
            while (entries.next()) {
                writer.add(entries.entry());
                if (writer.fileBytes() >= restAtBytes) {
                    rest();
                    restAtBytes = writer.fileBytes() + REST_AFTER_BYTES;
                }
            }
        }
    }

    private void rest() {
        if (versions.memTableCount() <= MEMTABLES_USUAL) {
            throttle.rest();
        }
    }
}
