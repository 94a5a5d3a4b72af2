package dht.storage.lsm;

import dht.storage.EntryCursor;
import dht.storage.compaction.CompactionPolicy;
import dht.storage.memtable.MemTable;
import dht.storage.sstable.SSTable;
import dht.storage.sstable.SSTableWriter;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns memtables into tables, the oldest first, at a {@link Throttle} that leaves the processors
 * to others until a second one waits. Used by one thread, except {@link #giveUpAfter}.
 */
final class Flusher {
    private static final Logger LOG = LoggerFactory.getLogger(Flusher.class);

    /** Work of a millisecond or so. */
    private static final long REST_AFTER_BYTES = 64 << 10;

    /** The one that is written to, and the one that is being flushed. */
    private static final int MEMTABLES_USUAL = 2;

    private final CompactionPolicy policy;
    private final VersionSet versions;
    private final SSTableFactory tables;
    private final Runnable onFlushed;
    private final Throttle throttle;
    private long endNanos; // Published by isEnding.
    private volatile boolean isEnding;

    /**
     * @param onFlushed called when there is a memtable less, and mostly another table; must not
     *     fail
     */
    Flusher(
            CompactionPolicy policy,
            VersionSet versions,
            SSTableFactory tables,
            Throttle throttle,
            Runnable onFlushed) {
        this.policy = policy;
        this.versions = versions;
        this.tables = tables;
        this.throttle = throttle;
        this.onFlushed = onFlushed;
    }

    /** Does all that can be done now. */
    void work() throws IOException {
        try {
            boolean more = true;
            while (more) {
                more = flushOldest();
            }
        } catch (CancellationException e) {
            LOG.debug("flush was given up: {}", e.getMessage());
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

    /**
     * Flushes all memtables, when no more writes come.
     *
     * @throws CancellationException if it was {@linkplain #giveUpAfter given up}
     */
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

    /** Flushes for no longer than that from now on; of a table that isn't done nothing remains. */
    void giveUpAfter(Duration time) {
        endNanos = System.nanoTime() + time.toNanos();
        isEnding = true;
    }

    private void checkTime() {
        if (isEnding && System.nanoTime() - endNanos >= 0) {
            throw new CancellationException("storage is being closed");
        }
    }

    private void flush(MemTable memTable) throws IOException {
        checkTime();
        versions.checkStorable();
        long startNanos = System.nanoTime();
        throttle.begin();
        SSTable table = tables.make(memTable.entryCount(), writer -> addAll(memTable, writer));
        versions.replaceFlushed(memTable, table);
        onFlushed.run();
        if (table != null) {
            LOG.debug(
                    "flushed table={} entries={} bytes={} millis={}",
                    table,
                    table.entryCount(),
                    table.fileBytes(),
                    (System.nanoTime() - startNanos) / 1_000_000);
        }
    }

    private void addAll(MemTable memTable, SSTableWriter writer) throws IOException {
        try (EntryCursor entries = memTable.cursorOverAll()) {
            long restAtBytes = REST_AFTER_BYTES;
            while (entries.next()) {
                writer.add(entries.entry());
                if (writer.fileBytes() >= restAtBytes) {
                    checkTime();
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
