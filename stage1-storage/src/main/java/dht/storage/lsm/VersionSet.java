package dht.storage.lsm;

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
 * a memtable, never wait for a disk.
 */
final class VersionSet {
    private final StorageDirectory directory;
    private final AtomicLong nextFileNumber;

    private final ReentrantLock manifestLock = new ReentrantLock();
    private Manifest manifest; // Guarded by manifestLock.
    private StorageException failure; // Guarded by manifestLock.

    private final ReentrantLock swapLock = new ReentrantLock();
    private final Condition changed = swapLock.newCondition();
    private volatile Version current; // Replaced under swapLock. Null when closed.
    private List<MemTable> unflushed = List.of(); // Guarded by swapLock. Left when closed.

    /**
     * @param initial is taken over
     */
    VersionSet(StorageDirectory directory, Manifest manifest, Version initial) {
        this.directory = directory;
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

    /** Adds an empty memtable that writers are about to use; it is taken over. */
    void addMemTable(MemTable memTable) {
        swap(version -> new Version(version.memTablesWith(memTable), version.tables()));
        memTable.release();
    }

    /**
     * Puts a table in place of the memtable that it was flushed from, the oldest one; that
     * memtable's log is then done with.
     *
     * @param table is taken over, whatever comes of it; null if the memtable held nothing
     * @throws IOException if the manifest could not be changed; then nothing changed
     */
    void replaceFlushed(MemTable memTable, SSTable table) throws IOException {
        manifestLock.lock();
        try {
            List<SSTable> tables = storeFlushed(memTable, table);
            memTable.markLogObsolete();
            swap(version -> new Version(version.memTablesWithout(memTable), tables));
        } catch (IOException e) {
            markObsoleteIfAny(table);
            throw e;
        } finally {
            releaseIfAny(table); // If it came into a version, that holds it now.
            manifestLock.unlock();
        }
    }

    private List<SSTable> storeFlushed(MemTable memTable, SSTable table) throws IOException {
        Version version = pin();
        try {
            int position = version.memTables().indexOf(memTable);
            long oldestLog =
                    position == 0
                            ? nextFileNumber.get()
                            : version.memTables().get(position - 1).logNumber();
            long greatest =
                    Math.max(
                            manifest.greatestTimestampMicros(), memTable.greatestTimestampMicros());
            WriteTotals totals =
                    manifest.totals()
                            .plusFlush(memTable.dataBytes(), table == null ? 0 : table.fileBytes());
            List<SSTable> tables = version.tablesWith(table);
            store(tables, oldestLog, greatest, totals);
            return tables;
        } finally {
            version.release();
        }
    }

    /**
     * Puts one table in place of several.
     *
     * @param output is taken over, whatever comes of it; null if nothing remained
     * @throws IOException if the manifest could not be changed; then nothing changed
     */
    void replaceCompacted(List<SSTable> inputs, SSTable output) throws IOException {
        manifestLock.lock();
        try {
            List<SSTable> tables = storeCompacted(inputs, output);
            inputs.forEach(SSTable::markObsolete);
            swap(version -> new Version(version.memTables(), tables));
        } catch (IOException e) {
            markObsoleteIfAny(output);
            throw e;
        } finally {
            releaseIfAny(output); // If it came into a version, that holds it now.
            manifestLock.unlock();
        }
    }

    private List<SSTable> storeCompacted(List<SSTable> inputs, SSTable output) throws IOException {
        Version version = pin();
        try {
            WriteTotals totals =
                    manifest.totals().plusCompaction(output == null ? 0 : output.fileBytes());
            List<SSTable> tables = version.tablesWith(inputs, output);
            store(tables, manifest.oldestLog(), manifest.greatestTimestampMicros(), totals);
            return tables;
        } finally {
            version.release();
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

    private void store(
            List<SSTable> tables, long oldestLog, long greatestTimestampMicros, WriteTotals totals)
            throws IOException {
        checkStorable();
        List<TableReference> references =
                tables.stream()
                        .map(table -> new TableReference(table.number(), table.fileBytes()))
                        .toList();
        Manifest next =
                new Manifest(
                        nextFileNumber.get(),
                        oldestLog,
                        greatestTimestampMicros,
                        totals,
                        references);
        try {
            ManifestFile.store(directory, next);
        } catch (StorageException e) {
            failure = e;
            throw e;
        }
        manifest = next;
    }

    private void swap(UnaryOperator<Version> change) {
        swapLock.lock();
        try {
            Version former = current;
            current = change.apply(former);
            former.release();
            changed.signalAll();
        } finally {
            swapLock.unlock();
        }
    }

    private static void markObsoleteIfAny(SSTable table) {
        if (table != null) {
            table.markObsolete();
        }
    }

    private static void releaseIfAny(SSTable table) {
        if (table != null) {
            table.release();
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

    private List<MemTable> waiting() {
        List<MemTable> memTables = memTables();
        boolean isFirstWritable = !memTables.isEmpty() && memTables.getFirst().log() != null;
        return memTables.subList(isFirstWritable ? 1 : 0, memTables.size());
    }

    /**
     * Under swapLock: those of the version in force, or those that were left when it was closed.
     */
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
    void close() {
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
