package dht.storage.lsm;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.storage.StorageException;
import dht.storage.StorageUnavailableException;
import dht.storage.file.StorageDirectory;
import dht.storage.manifest.Manifest;
import dht.storage.manifest.Manifest.TableReference;
import dht.storage.manifest.ManifestFile;
import dht.storage.manifest.WriteTotals;
import dht.storage.memtable.MemTable;
import dht.storage.sstable.SSTable;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The current snapshot, and its changes. A change is stored first on disk, in the manifest, and
 * then made in memory.
 *
 * <p>Thread-safe. There are two locks; {@code manifestLock} is taken before {@code swapLock}.
 * {@code manifestLock} allows one change of the manifest at a time, and is held while files are
 * synced. {@code swapLock} guards the replacement of the snapshot, and is never held during a sync.
 * Writers take only {@code swapLock}, when they begin a memtable, so they never wait for a disk.
 * Invariants, which hold even if something is thrown:
 *
 * <ol>
 *   <li>A change is made completely or not at all: everything that it needs is allocated before the
 *       new manifest replaces the former one. After that, only the sync of the directory can fail.
 *       Then it is unknown which manifest is on the disk, and no manifest is stored any more. If an
 *       Error ends the replacement or the sync, that is unknown, too, until the next manifest is
 *       stored. Until then, no file that one of the two names is deleted.
 *   <li>A file is obsolete only if the current manifest certainly does not name it.
 *   <li>While a manifest is being stored, {@code prepared} is the snapshot that will become current
 *       with it. A memtable that is added during that time is added to both snapshots.
 *   <li>If the {@code oldestLog} of a stored manifest is less than its {@code nextFileNumber}, the
 *       log that it names exists durably.
 * </ol>
 */
final class Snapshots implements AutoCloseable {
    private final StorageDirectory directory;
    private final boolean keepsLogs;
    private final AtomicLong nextFileNumber;

    private final ReentrantLock manifestLock = new ReentrantLock();

    // Replaced under manifestLock, read without it.
    private volatile Manifest manifest;

    @GuardedBy("manifestLock")
    private StorageException failure; // If not null, no manifest can be stored any more.

    private final ReentrantLock swapLock = new ReentrantLock();
    private final Condition changed = swapLock.newCondition();

    // Replaced under swapLock, read without it. Null when closed.
    private volatile Snapshot current;

    @GuardedBy("swapLock")
    private Snapshot prepared; // Invariant 3; null while no manifest is being stored.

    @GuardedBy("swapLock")
    // The memtables that were left when this was closed.
    private List<MemTable> unflushed = List.of();

    /**
     * @param keepsLogs whether the logs of memtables are files on disk
     * @param initial the first snapshot; this object releases it later
     */
    Snapshots(StorageDirectory directory, boolean keepsLogs, Manifest manifest, Snapshot initial) {
        this.directory = directory;
        this.keepsLogs = keepsLogs;
        this.manifest = manifest;
        this.nextFileNumber = new AtomicLong(manifest.nextFileNumber());
        this.current = initial;
    }

    long nextFileNumber() {
        return nextFileNumber.getAndIncrement();
    }

    /**
     * Retains and returns the current snapshot. The caller must release it.
     *
     * @throws StorageUnavailableException if the engine is closed
     */
    Snapshot pin() {
        while (true) {
            Snapshot snapshot = current;
            if (snapshot == null) {
                throw closed();
            }
            if (snapshot.tryRetain()) { // Fails only if another snapshot has become current.
                return snapshot;
            }
        }
    }

    /**
     * @throws StorageUnavailableException if the engine is closed
     */
    void checkOpen() {
        if (current == null) {
            throw closed();
        }
    }

    private StorageUnavailableException closed() {
        return new StorageUnavailableException("storage is closed: path=" + directory);
    }

    /** The number of memtables: the active one, and those that wait to be flushed. */
    int memTableCount() {
        Snapshot snapshot = pin();
        try {
            return snapshot.memTables().size();
        } finally {
            snapshot.release();
        }
    }

    /** The log of the newest memtable, or 0 if there is no memtable. */
    long newestLog() {
        Snapshot snapshot = pin();
        try {
            List<MemTable> memTables = snapshot.memTables();
            return memTables.isEmpty() ? 0 : memTables.getFirst().logNumber();
        } finally {
            snapshot.release();
        }
    }

    /** Does not wait for a manifest that is being stored. */
    WriteTotals totals() {
        return manifest.totals();
    }

    /**
     * Adds an empty memtable for writers, and takes over the caller's reference to it. If adding
     * fails, nothing changes, and the caller must release the memtable.
     */
    void addMemTable(MemTable memTable) {
        swapLock.lock();
        try {
            Snapshot next = current.withMemTable(memTable);
            if (prepared != null) {
                addToPrepared(memTable, next);
            }
            swapTo(next);
            memTable.release();
        } finally {
            swapLock.unlock();
        }
    }

    @GuardedBy("swapLock")
    private void addToPrepared(MemTable memTable, Snapshot next) {
        Snapshot former = prepared;
        try {
            prepared = former.withMemTable(memTable);
        } finally {
            (prepared == former ? next : former).release();
        }
    }

    /**
     * Replaces the oldest memtable by the table that was written from it. The memtable's log is
     * then obsolete.
     *
     * @param table the new table, obsolete until now, which is released in any case; null if the
     *     memtable was empty
     * @throws IOException if the manifest could not be stored; nothing has changed then
     */
    void replaceFlushed(MemTable memTable, SSTable table) throws IOException {
        long flushedBytes = table == null ? 0 : table.fileBytes();
        manifestLock.lock();
        try {
            change(
                    snapshot -> snapshot.withFlushed(memTable, table),
                    table,
                    Math.max(
                            manifest.greatestTimestampMicros(), memTable.greatestTimestampMicros()),
                    manifest.totals().plusFlush(memTable.dataBytes(), flushedBytes),
                    memTable::markLogObsolete);
        } finally {
            manifestLock.unlock();
            releaseIfAny(table); // A snapshot that contains the table retains it itself.
        }
    }

    /**
     * Replaces several tables by one.
     *
     * @param output the merged table, obsolete until now, which is released in any case; null if no
     *     entry remained
     * @throws IOException if the manifest could not be stored; nothing has changed then
     */
    void replaceCompacted(List<SSTable> inputs, SSTable output) throws IOException {
        long compactedBytes = output == null ? 0 : output.fileBytes();
        manifestLock.lock();
        try {
            change(
                    snapshot -> snapshot.withCompacted(inputs, output),
                    output,
                    manifest.greatestTimestampMicros(),
                    manifest.totals().plusCompaction(compactedBytes),
                    () -> markObsolete(inputs));
        } finally {
            manifestLock.unlock();
            releaseIfAny(output); // A snapshot that contains the table retains it itself.
        }
    }

    /** An action that may throw an {@link IOException}. */
    @FunctionalInterface
    interface Action {
        void run() throws IOException;
    }

    /**
     * Runs an action that creates a log and then adds its memtable. No manifest is stored
     * meanwhile. A manifest that was stored between these two steps could name an {@code oldestLog}
     * with a greater number, and so say that the new log is obsolete.
     */
    void whileManifestStays(Action action) throws IOException {
        manifestLock.lock();
        try {
            action.run();
        } finally {
            manifestLock.unlock();
        }
    }

    /**
     * Stores a manifest that names the oldest log. Does nothing if a manifest already names it, or
     * if there is no log. Because of this name, the next start notices if that log was deleted.
     */
    void nameOldestLog() throws IOException {
        manifestLock.lock();
        try {
            if (manifest.oldestLog() >= manifest.nextFileNumber() && hasLog()) {
                change(
                        snapshot -> new Snapshot(snapshot.memTables(), snapshot.tables()),
                        null,
                        manifest.greatestTimestampMicros(),
                        manifest.totals(),
                        () -> {});
            }
        } finally {
            manifestLock.unlock();
        }
    }

    private boolean hasLog() {
        Snapshot snapshot = pin();
        try {
            return snapshot.memTables().stream().anyMatch(this::hasLog);
        } finally {
            snapshot.release();
        }
    }

    /** The log of a recovered memtable is a file on disk, even if new memtables have none. */
    private boolean hasLog(MemTable memTable) {
        return keepsLogs || memTable.log() == null;
    }

    /**
     * Makes a change completely, or not at all.
     *
     * @param added the table that the change adds, or null; it stays obsolete if the change fails.
     *     But after an Error, a manifest may name it, so its file stays until the next start
     * @param markObsolete marks what the change removes as obsolete; cannot fail
     */
    @GuardedBy("manifestLock")
    private void change(
            UnaryOperator<Snapshot> change,
            SSTable added,
            long greatestTimestampMicros,
            WriteTotals totals,
            Runnable markObsolete)
            throws IOException {
        boolean isDone = false;
        try {
            Manifest next = manifestOf(prepare(change), greatestTimestampMicros, totals);
            ManifestFile.prepare(directory, next);
            if (added != null) {
                added.markNeeded(); // Now a manifest on the disk may name it.
            }
            putInForce();
            manifest = next;
            markObsolete.run();
            install();
            isDone = true;
        } catch (IOException e) { // The former manifest is still the current one.
            if (added != null) {
                added.markObsolete();
            }
            throw e;
        } finally {
            if (!isDone) {
                giveUp();
            }
        }
    }

    @GuardedBy("manifestLock")
    private void putInForce() throws IOException {
        try {
            ManifestFile.putInForce(directory);
        } catch (StorageException e) {
            failure = e;
            throw e;
        }
    }

    private Snapshot prepare(UnaryOperator<Snapshot> change) {
        checkStorable();
        swapLock.lock();
        try {
            checkOpen();
            prepared = change.apply(current);
            return prepared;
        } finally {
            swapLock.unlock();
        }
    }

    private Manifest manifestOf(
            Snapshot snapshot, long greatestTimestampMicros, WriteTotals totals) {
        long next = nextFileNumber.get();
        long oldestLog =
                snapshot.memTables().reversed().stream()
                        .filter(this::hasLog)
                        .mapToLong(MemTable::logNumber)
                        .findFirst()
                        .orElse(next);
        List<TableReference> references =
                snapshot.tables().stream()
                        .map(table -> new TableReference(table.number(), table.fileBytes()))
                        .toList();
        return new Manifest(next, oldestLog, greatestTimestampMicros, totals, references);
    }

    /** Makes the prepared snapshot the current one. Cannot fail. */
    private void install() {
        swapLock.lock();
        try {
            Snapshot next = prepared;
            prepared = null;
            swapTo(next);
        } finally {
            swapLock.unlock();
        }
    }

    private void giveUp() {
        swapLock.lock();
        try {
            if (prepared != null) {
                prepared.release();
                prepared = null;
            }
        } finally {
            swapLock.unlock();
        }
    }

    @GuardedBy("swapLock")
    private void swapTo(Snapshot next) {
        Snapshot former = current;
        current = next;
        changed.signalAll();
        former.release();
    }

    private static void markObsolete(List<SSTable> tables) {
        for (int i = 0; i < tables.size(); i++) {
            tables.get(i).markObsolete();
        }
    }

    private static void releaseIfAny(SSTable table) {
        if (table != null) {
            table.release();
        }
    }

    /**
     * Checks that a manifest can still be stored, before a table is written for it.
     *
     * @throws StorageException if an earlier failure left it unknown which manifest is current; no
     *     manifest can be stored then
     */
    void checkStorable() {
        manifestLock.lock();
        try {
            if (failure != null) {
                throw failure;
            }
        } finally {
            manifestLock.unlock();
        }
    }

    /** Wakes the threads that wait for a flush, so that they check whether it has failed. */
    void signalChange() {
        swapLock.lock();
        try {
            changed.signalAll();
        } finally {
            swapLock.unlock();
        }
    }

    /**
     * Waits until all memtables that exist now are flushed, except the active one.
     *
     * @param failure returns why flushing is impossible, or null while it is possible
     * @throws StorageException as soon as flushing is impossible, or if the thread is interrupted
     */
    void awaitFlushed(Supplier<StorageException> failure) {
        swapLock.lock();
        try {
            List<MemTable> waiting = waiting();
            while (!Collections.disjoint(memTables(), waiting)) {
                StorageException reason = current == null ? closed() : failure.get();
                if (reason != null) {
                    throw reason;
                }
                changed.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException("interrupted while waiting for a flush", e);
        } finally {
            swapLock.unlock();
        }
    }

    @GuardedBy("swapLock")
    private List<MemTable> waiting() {
        List<MemTable> memTables = memTables();
        boolean isFirstWritable = !memTables.isEmpty() && memTables.getFirst().log() != null;
        return memTables.subList(isFirstWritable ? 1 : 0, memTables.size());
    }

    /** The memtables of the current snapshot; after closing, those that were left. */
    @GuardedBy("swapLock")
    private List<MemTable> memTables() {
        return current == null ? unflushed : current.memTables();
    }

    /** As {@link Snapshot#countedTables}, of all tables. */
    int countedTables() {
        Snapshot snapshot = pin();
        try {
            return Snapshot.countedTables(snapshot.tables());
        } finally {
            snapshot.release();
        }
    }

    /** Releases the current snapshot. After this there is none. */
    @Override
    public void close() {
        swapLock.lock();
        try {
            Snapshot last = current;
            unflushed = last.memTables();
            current = null;
            last.release();
            changed.signalAll();
        } finally {
            swapLock.unlock();
        }
    }
}
