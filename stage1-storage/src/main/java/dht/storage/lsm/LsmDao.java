package dht.storage.lsm;

import dht.storage.Dao;
import dht.storage.Durability;
import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.ReadOutcome;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.WriteListener;
import dht.storage.compaction.CompactionPolicy;
import dht.storage.file.StorageDirectory;
import dht.storage.manifest.WriteTotals;
import dht.storage.memory.RefCounted;
import dht.storage.memtable.MemTable;
import dht.storage.sstable.KeyHash;
import dht.storage.sstable.SSTable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log-structured merge tree: writes go to a log and a memtable, full memtables become tables, and
 * tables are merged.
 *
 * <p>After P. O'Neil et al., "The Log-Structured Merge-Tree", 1996, in the shape that Bigtable and
 * LevelDB gave it.
 */
public final class LsmDao implements Dao {
    private static final Logger LOG = LoggerFactory.getLogger(LsmDao.class);

    private final StorageDirectory directory;
    private final StorageOptions options;
    private final Reclaimer reclaimer;
    private final CompactionPolicy policy;
    private final VersionSet versions;
    private final MemTablePool pool;
    private final WritePath writePath;
    private final Flusher flusher;
    private final Compactor compactor;
    private final Throttle flushThrottle = new Throttle();
    private final Throttle compactionThrottle = new Throttle();
    private final BackgroundTask flushing;
    private final BackgroundTask compacting;
    private boolean closed; // Guarded by this.

    private LsmDao(
            StorageDirectory directory,
            StorageOptions options,
            Reclaimer reclaimer,
            Recovery recovery,
            long retryMillis) {
        this.directory = directory;
        this.options = options;
        this.reclaimer = reclaimer;
        Version version = new Version(recovery.memTables(), recovery.tables());
        recovery.memTables().forEach(RefCounted::release);
        recovery.tables().forEach(RefCounted::release);
        this.versions = new VersionSet(directory, recovery.manifest(), version);
        this.pool = new MemTablePool(directory, options, versions, reclaimer, recovery.newestLog());
        this.policy = new CompactionPolicy(options.compactionFanIn(), options.tableCountMax());
        SSTableFactory tables =
                new SSTableFactory(directory, options, versions::nextFileNumber, reclaimer);
        this.writePath =
                new WritePath(
                        directory,
                        options,
                        versions,
                        this::obstacle,
                        recovery.manifest().greatestTimestampMicros(),
                        recovery.newestLogEnd(),
                        this::wakeFlushing);
        this.flusher =
                new Flusher(
                        directory,
                        options,
                        policy,
                        versions,
                        pool,
                        writePath,
                        tables,
                        flushThrottle,
                        this::wakeCompacting);
        this.compactor =
                new Compactor(
                        options, policy, versions, tables, compactionThrottle, this::wakeFlushing);
        this.flushing =
                new BackgroundTask(
                        "storage-flush", flusher::work, versions::signalChange, retryMillis);
        this.compacting =
                new BackgroundTask(
                        "storage-compaction", compactor::work, versions::signalChange, retryMillis);
    }

    /**
     * Opens an engine on what the directory holds.
     *
     * @param directory is closed together with the engine, and if opening fails
     * @throws IOException if the directory cannot be read or written
     * @throws dht.storage.CorruptionException if what it holds is damaged
     */
    public static LsmDao open(StorageDirectory directory, StorageOptions options)
            throws IOException {
        return open(directory, options, BackgroundTask.RETRY_MILLIS);
    }

    /** As above; what fails in the background is tried again after {@code retryMillis}. */
    static LsmDao open(StorageDirectory directory, StorageOptions options, long retryMillis)
            throws IOException {
        Reclaimer reclaimer =
                new Reclaimer(
                        Executors.newSingleThreadExecutor(
                                Thread.ofPlatform().name("storage-reclaim").daemon().factory()));
        try {
            LsmDao dao =
                    new LsmDao(
                            directory,
                            options,
                            reclaimer,
                            Recovery.run(directory, options.durability(), reclaimer),
                            retryMillis);
            dao.start();
            return dao;
        } catch (Throwable e) { // Errors too: the directory must not stay locked.
            reclaimer.close();
            directory.close();
            throw e;
        }
    }

    private void start() {
        writePath.start();
        flusher.begin();
        flushing.wake();
        compacting.wake();
    }

    private void wakeFlushing() {
        flushing.wake();
    }

    private void wakeCompacting() {
        compacting.wake();
    }

    @Override
    public ReadOutcome get(byte[] key) {
        Version version = versions.pin();
        boolean held = true;
        try {
            EntryView newest = findNewest(version, key, Long.MIN_VALUE);
            if (newest == null) {
                return ReadOutcome.Absent.INSTANCE;
            }
            if (newest.isTombstone()) {
                return new ReadOutcome.Deleted(newest.timestampMicros());
            }
            held = false;
            return new ReadOutcome.Found(
                    newest.value(), newest.timestampMicros(), version::release);
        } finally {
            if (held) {
                version.release();
            }
        }
    }

    @Override
    public long newestTimestampMicros(byte[] key, long fromMicros) {
        Version version = versions.pin();
        try {
            EntryView newest = findNewest(version, key, fromMicros);
            boolean isFound = newest != null && newest.timestampMicros() >= fromMicros;
            return isFound ? newest.timestampMicros() : 0;
        } finally {
            version.release();
        }
    }

    /**
     * Answers null if there is none. Older than {@code fromMicros} it may be the newest or not, or
     * not be found.
     */
    private static EntryView findNewest(Version version, byte[] key, long fromMicros) {
        EntryView newest = null;
        EntryView candidate = new EntryView();
        for (MemTable memTable : version.memTables()) {
            boolean mayBeNewer =
                    newest == null
                            || memTable.greatestTimestampMicros() >= newest.timestampMicros();
            if (mayBeNewer
                    && memTable.find(key, candidate)
                    && (newest == null || candidate.winsOver(newest))) {
                newest = candidate;
                candidate = new EntryView();
            }
        }
        long hash = KeyHash.of(key);
        long wantedMicros =
                newest == null ? fromMicros : Math.max(fromMicros, newest.timestampMicros());
        for (SSTable table : version.tables()) {
            if (table.greatestTimestampMicros() >= wantedMicros
                    && table.find(key, hash, candidate)
                    && (newest == null || candidate.winsOver(newest))) {
                newest = candidate;
                wantedMicros = Math.max(wantedMicros, newest.timestampMicros());
                candidate = new EntryView();
            }
        }
        return newest;
    }

    @Override
    public EntryCursor range(byte[] from, byte[] to) {
        Version version = versions.pin();
        try {
            return new RangeCursor(version, from, to);
        } catch (RuntimeException e) {
            version.release();
            throw e;
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
            versions.awaitFlushed(obstacle);
        } finally {
            flushThrottle.endHurry();
        }
    }

    /** Why memtables can't be flushed, or null as long as they can. */
    private StorageException obstacle() {
        return obstacle(flushing::failure, compacting::failure);
    }

    private StorageException obstacle(
            Supplier<StorageException> flushFailure, Supplier<StorageException> mergeFailure) {
        return flushFailure.get() == null && policy.isFull(versions.tableCount())
                ? mergeFailure.get()
                : flushFailure.get();
    }

    @Override
    public void compact() {
        compactionThrottle.beginHurry();
        try {
            compacting.call(
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
        versions.checkOpen();
        return writePath.greatestTimestampMicros();
    }

    public StorageStats stats() {
        Version version = versions.pin();
        try {
            long memTableBytes = version.memTables().stream().mapToLong(MemTable::logBytes).sum();
            long tableBytes = version.tables().stream().mapToLong(SSTable::fileBytes).sum();
            WriteTotals totals = versions.totals();
            return new StorageStats(
                    version.memTables().size(),
                    memTableBytes,
                    version.tables().size(),
                    tableBytes,
                    totals,
                    writePath.syncCount(),
                    writePath.unsyncedCount(),
                    writePath.stallCount(),
                    writePath.refusalCount());
        } finally {
            version.release();
        }
    }

    /**
     * @throws StorageException if entries could not be flushed that no log holds
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        writePath.close("storage is closed");
        compactor.cancel();
        flushThrottle.beginHurry(); // For good.
        compacting.close();
        StorageException lost = flushForGood();
        flushing.close();
        versions.close();
        pool.close();
        reclaimer.close();
        directory.close();
        if (lost != null) {
            throw lost;
        }
    }

    private StorageException flushForGood() {
        try {
            flushing.call(
                    () -> {
                        flusher.flushAll();
                        return null;
                    });
            return null;
        } catch (StorageException e) {
            if (options.durability() == Durability.NONE) {
                return e;
            }
            LOG.warn(
                    "cannot flush while closing; the log keeps the entries: path={}: {}",
                    directory,
                    e.getMessage());
            return null;
        }
    }
}
