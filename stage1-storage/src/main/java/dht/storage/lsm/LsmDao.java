package dht.storage.lsm;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.storage.Dao;
import dht.storage.Durability;
import dht.storage.EntryCursor;
import dht.storage.ReadOutcome;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.WriteListener;
import dht.storage.compaction.CompactionPolicy;
import dht.storage.file.StorageDirectory;
import dht.storage.manifest.WriteTotals;
import dht.storage.memtable.MemTable;
import dht.storage.sstable.SSTable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log-structured merge tree: writes go to a log and a memtable, full memtables become tables, and
 * tables are merged.
 *
 * <p>See P. O'Neil et al., "The Log-Structured Merge-Tree", 1996. The structure follows Bigtable
 * and LevelDB. Thread-safe.
 */
public final class LsmDao implements Dao {
    private static final Logger LOG = LoggerFactory.getLogger(LsmDao.class);

    private final StorageDirectory directory;
    private final StorageOptions options;
    private final Reclaimer reclaimer;
    private final CompactionPolicy policy;
    private final Snapshots snapshots;
    private final MemTablePool pool;
    private final Pins pins;
    private final WritePath writePath;
    private final Flusher flusher;
    private final Compactor compactor;
    private final Throttle flushThrottle = new Throttle();
    private final Throttle compactionThrottle = new Throttle();
    private final SpareMaker spareMaker;
    private final BackgroundTask sparing;
    private final BackgroundTask flushing;
    private final BackgroundTask compacting;
    private final Scrubber scrubber;
    private final Duration closingFlushMax;

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param snapshot the first snapshot; if this constructor fails, the caller must release it
     */
    private LsmDao(
            StorageDirectory directory,
            StorageOptions options,
            Reclaimer reclaimer,
            Recovery recovery,
            Snapshot snapshot,
            Timing timing) {
        this.directory = directory;
        this.options = options;
        this.reclaimer = reclaimer;
        this.closingFlushMax = timing.closingFlushMax();
        boolean keepsLogs = options.durability() != Durability.NONE;
        this.snapshots = new Snapshots(directory, keepsLogs, recovery.manifest(), snapshot);
        this.pins = new Pins(options, snapshots::pin, reclaimer, System::nanoTime);
        this.pool = new MemTablePool(directory, options, snapshots, reclaimer);
        this.policy = new CompactionPolicy(options.compactionFanIn(), options.tableCountMax());
        SSTableFactory tableFactory =
                new SSTableFactory(directory, options, snapshots::nextFileNumber, reclaimer);
        this.writePath =
                new WritePath(
                        directory,
                        options,
                        snapshots,
                        this::whyNoSpare,
                        recovery.manifest().greatestTimestampMicros(),
                        recovery.newestLogEnd(),
                        this::wakeAfterRotation);
        this.spareMaker = new SpareMaker(directory, options, snapshots, pool, writePath);
        this.flusher =
                new Flusher(
                        options,
                        policy,
                        snapshots,
                        tableFactory,
                        flushThrottle,
                        this::wakeAfterFlush);
        this.compactor =
                new Compactor(
                        options,
                        policy,
                        snapshots,
                        tableFactory,
                        compactionThrottle,
                        this::wakeAfterCompaction);
        this.sparing =
                new BackgroundTask(
                        "storage-spare", spareMaker::work, () -> {}, timing.retryMillis());
        this.flushing =
                new BackgroundTask(
                        "storage-flush",
                        flusher::work,
                        snapshots::signalChange,
                        timing.retryMillis());
        this.compacting =
                new BackgroundTask(
                        "storage-compaction",
                        compactor::work,
                        this::wakeAfterFailedCompaction,
                        timing.retryMillis());
        this.scrubber = new Scrubber(options, snapshots::pin, timing.retryMillis());
    }

    /**
     * The waiting times of the engine.
     *
     * @param retryMillis the time after which failed background work is tried again
     * @param closingFlushMax how long closing may flush memtables, if logs also contain their
     *     entries
     */
    record Timing(long retryMillis, Duration closingFlushMax) {
        static final Timing DEFAULT =
                new Timing(BackgroundTask.RETRY_MILLIS, Duration.ofSeconds(2));
    }

    /**
     * Opens an engine on a data directory, which may be empty.
     *
     * @param directory the directory; it is closed with the engine, and also if opening fails
     * @throws IOException if the directory cannot be read or written
     * @throws dht.storage.CorruptionException if its contents are damaged
     */
    public static LsmDao open(StorageDirectory directory, StorageOptions options)
            throws IOException {
        return open(directory, options, Timing.DEFAULT);
    }

    /** As above, with another time after which failed background work is tried again. */
    static LsmDao open(StorageDirectory directory, StorageOptions options, long retryMillis)
            throws IOException {
        return open(directory, options, new Timing(retryMillis, Timing.DEFAULT.closingFlushMax()));
    }

    /** As above, with other times. */
    static LsmDao open(StorageDirectory directory, StorageOptions options, Timing timing)
            throws IOException {
        boolean isRecovered = false;
        try {
            Reclaimer reclaimer = new Reclaimer(timing.retryMillis());
            try {
                reclaimer.start();
                LsmDao dao = recover(directory, options, reclaimer, timing);
                isRecovered = true;
                dao.start();
                return dao;
            } finally {
                if (!isRecovered) {
                    reclaimer.close();
                }
            }
        } finally {
            if (!isRecovered) {
                directory.close();
            }
        }
    }

    private static LsmDao recover(
            StorageDirectory directory, StorageOptions options, Reclaimer reclaimer, Timing timing)
            throws IOException {
        try (Recovery recovery = Recovery.run(directory, options.durability(), reclaimer)) {
            Snapshot snapshot = new Snapshot(recovery.memTables(), recovery.tables());
            try {
                return new LsmDao(directory, options, reclaimer, recovery, snapshot, timing);
            } catch (RuntimeException | Error e) {
                snapshot.release();
                throw e;
            }
        }
    }

    private void start() {
        boolean isStarted = false;
        try {
            writePath.start();
            spareMaker.begin();
            pins.start();
            sparing.start();
            flushing.start();
            compacting.start();
            wakeAfterRotation();
            compacting.wake();
            scrubber.start();
            isStarted = true;
        } finally {
            if (!isStarted) {
                closeAll();
            }
        }
    }

    private void wakeAfterRotation() {
        flushing.wake();
        sparing.wake();
    }

    private void wakeAfterFlush() {
        pins.wake();
        sparing.wake();
        compacting.wake();
    }

    private void wakeAfterCompaction() {
        pins.wake();
        flushing.wake();
    }

    /** It may have found damage. Then more tables are allowed, so a memtable may be flushed. */
    private void wakeAfterFailedCompaction() {
        flushing.wake();
        snapshots.signalChange();
    }

    @Override
    public ReadOutcome get(byte[] key) {
        Snapshot snapshot = snapshots.pin();
        try {
            NewestVersion newest = NewestVersion.find(snapshot, key, Long.MIN_VALUE);
            return newest == null ? ReadOutcome.Absent.INSTANCE : newest.outcome(pins);
        } finally {
            snapshot.release();
        }
    }

    @Override
    public long newestTimestampMicros(byte[] key, long fromMicros) {
        Snapshot snapshot = snapshots.pin();
        try {
            NewestVersion newest = NewestVersion.find(snapshot, key, fromMicros);
            boolean isFound = newest != null && newest.timestampMicros() >= fromMicros;
            return isFound ? newest.timestampMicros() : 0;
        } finally {
            snapshot.release();
        }
    }

    @Override
    public EntryCursor range(byte[] from, byte[] to) {
        Snapshot snapshot = snapshots.pin();
        try {
            return new RangeCursor(snapshot, from, to, pins.begin());
        } finally {
            snapshot.release();
        }
    }

    @Override
    public void upsert(
            byte[] key, MemorySegment value, long timestampMicros, WriteListener listener) {
        checkKey(key);
        if (value.byteSize() > MAX_VALUE_BYTES) {
            throw new IllegalArgumentException("value is too large: bytes=" + value.byteSize());
        }
        writePath.write(key, value, timestampMicros, listener);
    }

    @Override
    public void delete(byte[] key, long timestampMicros, WriteListener listener) {
        checkKey(key);
        writePath.write(key, null, timestampMicros, listener);
    }

    private static void checkKey(byte[] key) {
        if (key.length < 1 || key.length > MAX_KEY_BYTES) {
            throw new IllegalArgumentException(
                    "key must be 1 to " + MAX_KEY_BYTES + " bytes: bytes=" + key.length);
        }
    }

    @Override
    public void flush() {
        Supplier<StorageException> flushFailure = flushing.failureFromNow();
        Supplier<StorageException> mergeFailure = compacting.failureFromNow();
        Supplier<StorageException> obstacle = () -> obstacle(flushFailure, mergeFailure);
        flushThrottle.beginHurry();
        try {
            writePath.rotateIfUsed(obstacle);
            flushing.wake();
            compacting.wake();
            snapshots.awaitFlushed(obstacle);
        } finally {
            flushThrottle.endHurry();
        }
    }

    /** Why memtables can't be flushed, or null while they can. */
    private StorageException obstacle() {
        return obstacle(flushing::failure, compacting::failure);
    }

    /**
     * Why there is no spare memtable, or null if the only reason is that all memtables are full.
     */
    private StorageException whyNoSpare() {
        StorageException obstacle = obstacle();
        return obstacle == null ? sparing.failure() : obstacle;
    }

    private StorageException obstacle(
            Supplier<StorageException> flushFailure, Supplier<StorageException> mergeFailure) {
        return flushFailure.get() == null && policy.isFull(snapshots.countedTables())
                ? mergeFailure.get()
                : flushFailure.get();
    }

    @Override
    public void compact() {
        compactionThrottle.beginHurry();
        try {
            compacting.callInterruptibly(
                    () -> {
                        compactor.compactAll();
                        return null;
                    });
        } finally {
            compactionThrottle.endHurry();
        }
    }

    @Override
    public long greatestTimestampMicros() {
        snapshots.checkOpen();
        return writePath.greatestTimestampMicros();
    }

    /** The damaged tables, and how to mend them. */
    public DamagedTables damagedTables() {
        return new DamagedTables(snapshots, pins, compactor, compacting);
    }

    public StorageStats stats() {
        Snapshot snapshot = snapshots.pin();
        try {
            long memTableBytes = snapshot.memTables().stream().mapToLong(MemTable::logBytes).sum();
            long tableBytes = snapshot.tables().stream().mapToLong(SSTable::fileBytes).sum();
            WriteTotals totals = snapshots.totals();
            return new StorageStats(
                    snapshot.memTables().size(),
                    memTableBytes,
                    snapshot.tables().size(),
                    tableBytes,
                    totals,
                    writePath.syncCount(),
                    writePath.unsyncedCount(),
                    writePath.stallCount(),
                    writePath.refusalCount(),
                    pins.pinnedBytes(),
                    pins.evictedCount(),
                    snapshot.tables().stream().mapToInt(table -> table.damage().count()).sum(),
                    scrubber.readBytes());
        } finally {
            snapshot.release();
        }
    }

    /**
     * @throws StorageException if entries that are in no log could not be flushed
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            writePath.close("storage is closed");
            compactor.cancel();
            flushThrottle.beginHurry(); // Never ended: closing stays in a hurry.
            if (options.durability() != Durability.NONE) {
                flusher.giveUpAfter(closingFlushMax);
            }
            sparing.close();
            compacting.close();
            flushForGood();
        } finally {
            closeAll();
        }
    }

    private void flushForGood() {
        try {
            flushing.call(
                    () -> {
                        flusher.flushAll();
                        return null;
                    });
        } catch (StorageException e) {
            if (options.durability() == Durability.NONE) {
                throw e;
            }
            LOG.warn(
                    "cannot flush all memtables while closing; the logs keep the entries: path={}: {}",
                    directory,
                    e.getMessage());
        }
    }

    /** Ends the threads and releases everything, the directory last. */
    private void closeAll() {
        try (directory;
                reclaimer;
                pool;
                snapshots;
                pins;
                compacting;
                flushing;
                sparing;
                scrubber) {
            writePath.close("storage is closed");
        }
    }
}
