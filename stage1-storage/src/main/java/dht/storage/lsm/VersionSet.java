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
 * The version in force, and how it changes: first on disk, then in memory.
 *
 * <p>Thread-safe. Two locks, the first taken before the second: {@code manifestLock} makes one
 * change of the manifest at a time and is held while files are synced; {@code swapLock} guards the
 * version's replacement and is held for a moment only, so that writers, who take it when they begin
 * a memtable, never wait for a disk. What holds, whatever is thrown:
 *
 * <ol>
 *   <li>A change is made whole or not at all: all that it needs is allocated before the manifest
 *       gets its name, and after that nothing can fail.
 *   <li>A file is obsolete only when it is known that the manifest in force doesn't name it.
 *   <li>While a manifest is being stored, {@code prepared} is what comes into force with it, and
 *       every memtable that is added meanwhile is added to both.
 *   <li>A stored manifest whose {@code oldestLog} is less than its {@code nextFileNumber} names a
 *       log that is durably there.
 * </ol>
 */
final class VersionSet implements AutoCloseable {
    private final StorageDirectory directory;
    private final boolean keepsLogs;
    private final AtomicLong nextFileNumber;

    private final ReentrantLock manifestLock = new ReentrantLock();

    @GuardedBy("manifestLock")
    private Manifest manifest;

    @GuardedBy("manifestLock")
    private StorageException failure; // Nothing can be stored any more.

    private final ReentrantLock swapLock = new ReentrantLock();
    private final Condition changed = swapLock.newCondition();

    // Replaced under swapLock, read without it. Null when closed.
    private volatile Version current;

    @GuardedBy("swapLock")
    private Version prepared; // Invariant 3; null while no manifest is being stored.

    @GuardedBy("swapLock")
    private List<MemTable> unflushed = List.of(); // Left when closed.

    /**
     * @param keepsLogs whether memtables that are written to have a log on disk
     * @param initial is taken over
     */
    VersionSet(StorageDirectory directory, boolean keepsLogs, Manifest manifest, Version initial) {
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
     * Takes hold of the version in force; the caller releases it.
     *
     * @throws StorageUnavailableException if the engine is closed
     */
    Version pin() {
        while (true) {
            Version version = current;
            if (version == null) {
                throw closed();
            }
            if (version.tryRetain()) {
                return version;
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

    /** How many memtables there are, written to or waiting to be flushed. */
    int memTableCount() {
        Version version = pin();
        try {
            return version.memTables().size();
        } finally {
            version.release();
        }
    }

    WriteTotals totals() {
        manifestLock.lock();
        try {
            return manifest.totals();
        } finally {
            manifestLock.unlock();
        }
    }

    /**
     * Adds an empty memtable that writers are about to use; it is taken over. If that fails nothing
     * has changed, and it is still the caller's.
     */
    void addMemTable(MemTable memTable) {
        swapLock.lock();
        try {
            Version next = current.withMemTable(memTable);
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
    private void addToPrepared(MemTable memTable, Version next) {
        Version former = prepared;
        try {
            prepared = former.withMemTable(memTable);
        } finally {
            (prepared == former ? next : former).release();
        }
    }

    /**
     * Puts a table in place of the memtable that it was flushed from, the oldest one; that
     * memtable's log is then done with.
     *
     * @param table is taken over, whatever comes of it; null if the memtable held nothing
     * @throws IOException if the manifest could not be changed; then nothing changed
     */
    void replaceFlushed(MemTable memTable, SSTable table) throws IOException {
        long flushedBytes = table == null ? 0 : table.fileBytes();
        manifestLock.lock();
        try {
            change(
                    version -> version.withFlushed(memTable, table),
                    table,
                    Math.max(
                            manifest.greatestTimestampMicros(), memTable.greatestTimestampMicros()),
                    manifest.totals().plusFlush(memTable.dataBytes(), flushedBytes),
                    memTable::markLogObsolete);
        } finally {
            releaseIfAny(table); // If it came into a version, that holds it now.
            manifestLock.unlock();
        }
    }

    /**
     * Puts one table in place of several.
     *
     * @param output is taken over, whatever comes of it; null if nothing remained
     * @throws IOException if the manifest could not be changed; then nothing changed
     */
    void replaceCompacted(List<SSTable> inputs, SSTable output) throws IOException {
        long compactedBytes = output == null ? 0 : output.fileBytes();
        manifestLock.lock();
        try {
            change(
                    version -> version.withCompacted(inputs, output),
                    output,
                    manifest.greatestTimestampMicros(),
                    manifest.totals().plusCompaction(compactedBytes),
                    () -> markObsolete(inputs));
        } finally {
            releaseIfAny(output); // If it came into a version, that holds it now.
            manifestLock.unlock();
        }
    }

    /** Does something that may fail with an {@link IOException}. */
    @FunctionalInterface
    interface Action {
        void run() throws IOException;
    }

    /**
     * Makes a log and puts it to use while no manifest is stored: one that is stored in between
     * could say that all logs are done with whose numbers are taken.
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
     * Has the manifest name the oldest log, unless it does already or there is none: so that the
     * next start misses it if somebody deletes it.
     */
    void nameOldestLog() throws IOException {
        manifestLock.lock();
        try {
            if (manifest.oldestLog() >= manifest.nextFileNumber() && hasLog()) {
                change(
                        version -> new Version(version.memTables(), version.tables()),
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
        Version version = pin();
        try {
            return version.memTables().stream().anyMatch(this::hasLog);
        } finally {
            version.release();
        }
    }

    private boolean hasLog(MemTable memTable) {
        return keepsLogs || memTable.log() == null;
    }

    /**
     * Makes a change, or none.
     *
     * @param added the table that the change adds, or null; it becomes obsolete if the change fails
     * @param markObsolete marks what the change takes away; cannot fail
     */
    @GuardedBy("manifestLock")
    private void change(
            UnaryOperator<Version> change,
            SSTable added,
            long greatestTimestampMicros,
            WriteTotals totals,
            Runnable markObsolete)
            throws IOException {
        boolean mayBeNamed = false;
        boolean isDone = false;
        try {
            Manifest next = manifestOf(prepare(change), greatestTimestampMicros, totals);
            ManifestFile.prepare(directory, next);
            mayBeNamed = true;
            putInForce();
            manifest = next;
            markObsolete.run();
            install();
            isDone = true;
        } catch (IOException e) {
            mayBeNamed = false; // The former manifest is in force.
            throw e;
        } finally {
            if (!isDone) {
                giveUp();
                if (added != null && !mayBeNamed) {
                    added.markObsolete();
                }
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

    private Version prepare(UnaryOperator<Version> change) {
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

    private Manifest manifestOf(Version version, long greatestTimestampMicros, WriteTotals totals) {
        long next = nextFileNumber.get();
        long oldestLog =
                version.memTables().reversed().stream()
                        .filter(this::hasLog)
                        .mapToLong(MemTable::logNumber)
                        .findFirst()
                        .orElse(next);
        List<TableReference> references =
                version.tables().stream()
                        .map(table -> new TableReference(table.number(), table.fileBytes()))
                        .toList();
        return new Manifest(next, oldestLog, greatestTimestampMicros, totals, references);
    }

    /** Puts the prepared version in force. Cannot fail. */
    private void install() {
        swapLock.lock();
        try {
            Version next = prepared;
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
    private void swapTo(Version next) {
        Version former = current;
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
     * Whether it makes sense to write a table at all.
     *
     * @throws StorageException if it is unknown which manifest is in force, so that no other can be
     *     stored any more
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

    /** Wakes those who wait for a flush, to look whether there is still hope. */
    void signalChange() {
        swapLock.lock();
        try {
            changed.signalAll();
        } finally {
            swapLock.unlock();
        }
    }

    /**
     * Returns when all memtables are flushed that there are now, but for the one that is written
     * to.
     *
     * @param failure why that cannot be done, or null as long as it can
     * @throws StorageException as soon as it can't
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
                changed.awaitUninterruptibly();
            }
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

    /** Those of the version in force, or those that were left when it was closed. */
    @GuardedBy("swapLock")
    private List<MemTable> memTables() {
        return current == null ? unflushed : current.memTables();
    }

    int tableCount() {
        Version version = pin();
        try {
            return version.tables().size();
        } finally {
            version.release();
        }
    }

    /** Lets go of the version in force: from now on there is none. */
    @Override
    public void close() {
        swapLock.lock();
        try {
            Version last = current;
            unflushed = last.memTables();
            current = null;
            last.release();
            changed.signalAll();
        } finally {
            swapLock.unlock();
        }
    }
}
