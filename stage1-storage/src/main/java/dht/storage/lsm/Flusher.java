package dht.storage.lsm;

import dht.storage.EntryCursor;
import dht.storage.StorageOptions;
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
 * Writes memtables to tables, oldest first. A {@link Throttle} leaves processor time to requests,
 * as long as only one memtable waits to be flushed, and a spare one is allowed. Used by one thread,
 * except {@link #giveUpAfter}.
 */
final class Flusher {
    private static final Logger LOG = LoggerFactory.getLogger(Flusher.class);

    /** About one millisecond of work. */
    private static final long REST_AFTER_BYTES = 64 << 10;

    /** The active memtable, and the one that is being flushed. */
    private static final int MEMTABLES_USUAL = 2;

    private final StorageOptions options;
    private final CompactionPolicy policy;
    private final Snapshots snapshots;
    private final SSTableFactory tableFactory;
    private final Runnable onFlushed;
    private final Throttle throttle;
    private long endNanos; // Published by isEnding.
    private volatile boolean isEnding;

    /**
     * @param onFlushed called after each flush; must not fail
     */
    Flusher(
            StorageOptions options,
            CompactionPolicy policy,
            Snapshots snapshots,
            SSTableFactory tableFactory,
            Throttle throttle,
            Runnable onFlushed) {
        this.options = options;
        this.policy = policy;
        this.snapshots = snapshots;
        this.tableFactory = tableFactory;
        this.throttle = throttle;
        this.onFlushed = onFlushed;
    }

    /** Flushes all waiting memtables, as far as the number of tables allows. */
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
        Snapshot snapshot = snapshots.pin();
        try {
            boolean isFull = policy.isFull(Snapshot.countedTables(snapshot.tables()));
            if (isFull || !isAnyWaiting(snapshot.memTables())) {
                return false;
            }
            flush(snapshot.memTables().getLast());
            return true;
        } finally {
            snapshot.release();
        }
    }

    /** Whether there is a memtable in addition to the active one. */
    private static boolean isAnyWaiting(List<MemTable> memTables) {
        return memTables.size() > 1 || memTables.size() == 1 && memTables.getFirst().log() == null;
    }

    /**
     * Flushes all memtables, including the active one. Called when no more writes arrive.
     *
     * @throws CancellationException if it was {@linkplain #giveUpAfter given up}
     */
    void flushAll() throws IOException {
        Snapshot snapshot = snapshots.pin();
        try {
            for (MemTable memTable : snapshot.memTables().reversed()) {
                flush(memTable);
            }
        } finally {
            snapshot.release();
        }
    }

    /**
     * Limits the time for flushing from now on. When the time is over, an unfinished table is
     * deleted.
     */
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
        snapshots.checkStorable();
        long startNanos = System.nanoTime();
        throttle.begin();
        SSTable table =
                tableFactory.make(memTable.entryCount(), writer -> addAll(memTable, writer));
        snapshots.replaceFlushed(memTable, table);
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
        int count = snapshots.memTableCount();
        if (count <= MEMTABLES_USUAL && count < options.memTableCountMax()) {
            throttle.rest();
        }
    }
}
