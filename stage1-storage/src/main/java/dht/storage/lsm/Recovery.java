package dht.storage.lsm;

import dht.storage.CorruptionException;
import dht.storage.file.MappedFile;
import dht.storage.file.StorageDirectory;
import dht.storage.log.LogFiles;
import dht.storage.log.LogReplay;
import dht.storage.manifest.Manifest;
import dht.storage.manifest.Manifest.TableReference;
import dht.storage.manifest.ManifestFile;
import dht.storage.memory.RefCounted;
import dht.storage.memtable.Backing;
import dht.storage.memtable.MemTable;
import dht.storage.sstable.SSTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out what a data directory holds: the manifest's tables, and a memtable for each log that
 * was not flushed. Removes what a crash left behind half-done. Used once, by one thread, before
 * anybody else touches the directory.
 */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final StorageDirectory directory;
    private final Executor reclaimer;
    private final List<SSTable> tables = new ArrayList<>();
    private final List<MemTable> memTables = new ArrayList<>();
    private Manifest manifest;
    private long greatestTimestampMicros;

    private Recovery(StorageDirectory directory, Executor reclaimer) {
        this.directory = directory;
        this.reclaimer = reclaimer;
    }

    /**
     * Recovers a directory; an empty one gets a manifest.
     *
     * @param reclaimer frees what the version no longer needs
     * @throws CorruptionException if something is damaged or missing; nothing was changed then
     */
    static Recovery run(StorageDirectory directory, Executor reclaimer) throws IOException {
        Recovery recovery = new Recovery(directory, reclaimer);
        try {
            recovery.recover();
            return recovery;
        } catch (IOException | RuntimeException e) {
            recovery.memTables.forEach(RefCounted::release);
            recovery.tables.forEach(RefCounted::release);
            throw e;
        }
    }

    private void recover() throws IOException {
        List<String> files = directory.list();
        manifest = ManifestFile.load(directory).orElse(null);
        if (manifest == null) {
            initialize(files);
        }
        greatestTimestampMicros = manifest.greatestTimestampMicros();
        openTables();
        NavigableMap<Long, String> logs = numbered(files, LogFiles.SUFFIX);
        NavigableMap<Long, String> tableFiles = numbered(files, SSTable.SUFFIX);
        replay(logs.tailMap(manifest.oldestLog(), true));
        long nextFileNumber =
                Math.max(manifest.nextFileNumber(), 1 + Math.max(last(logs), last(tableFiles)));
        manifest =
                new Manifest(
                        nextFileNumber,
                        manifest.oldestLog(),
                        greatestTimestampMicros,
                        manifest.totals(),
                        manifest.tables());
        manifest.tables().forEach(table -> tableFiles.remove(table.number()));
        memTables.forEach(memTable -> logs.remove(memTable.logNumber()));
        deleteLeftovers(logs.values());
        deleteLeftovers(tableFiles.values());
    }

    private static NavigableMap<Long, String> numbered(List<String> files, String suffix) {
        NavigableMap<Long, String> byNumber = new TreeMap<>();
        for (String file : files) {
            String stem = file.substring(0, Math.max(0, file.length() - suffix.length()));
            if (file.endsWith(suffix)
                    && stem.chars().allMatch(Character::isDigit)
                    && !stem.isEmpty()) {
                byNumber.put(Long.parseLong(stem), file);
            }
        }
        return byNumber;
    }

    private static long last(NavigableMap<Long, String> byNumber) {
        return byNumber.isEmpty() ? 0 : byNumber.lastKey();
    }

    /**
     * What a crash left of logs that were flushed or never used, and of tables that were never
     * finished.
     */
    private void deleteLeftovers(Collection<String> files) throws IOException {
        for (String file : files) {
            directory.delete(file);
        }
    }

    /**
     * Logs and tables are never made before the first manifest is: if they are there, it got lost.
     */
    private void initialize(List<String> files) throws IOException {
        for (String file : files) {
            if (file.endsWith(LogFiles.SUFFIX) || file.endsWith(SSTable.SUFFIX)) {
                throw new CorruptionException(
                        ManifestFile.NAME, 0, "manifest is missing, but there is file=" + file);
            }
        }
        manifest = Manifest.EMPTY;
        ManifestFile.store(directory, manifest);
    }

    private void openTables() throws IOException {
        Set<String> files = Set.copyOf(directory.list());
        for (TableReference reference : manifest.tables()) {
            String name = SSTable.fileName(reference.number());
            if (!files.contains(name)) {
                throw new CorruptionException(
                        name, 0, "table is missing, but the manifest names it");
            }
            SSTable table = SSTable.open(directory, reference.number(), reclaimer);
            tables.add(table);
            if (table.fileBytes() != reference.fileBytes()) {
                throw new CorruptionException(
                        name,
                        table.fileBytes(),
                        "table is of another size than written: bytes=" + reference.fileBytes());
            }
        }
    }

    private void replay(SortedMap<Long, String> logs) throws IOException {
        for (long number : logs.keySet()) {
            MappedFile file = directory.map(logs.get(number));
            try {
                MemTable memTable = replay(number, file, logs.keySet());
                if (memTable == null) {
                    file.close();
                } else {
                    memTables.addFirst(memTable);
                    greatestTimestampMicros =
                            Math.max(greatestTimestampMicros, memTable.greatestTimestampMicros());
                }
            } catch (RuntimeException e) {
                file.close();
                throw e;
            }
        }
    }

    /** Answers null if the log holds nothing. */
    private MemTable replay(long number, MappedFile file, Set<Long> live) {
        if (LogReplay.isBlank(file.memory())) {
            return null;
        }
        String name = LogFiles.name(number);
        LogReplay log = LogReplay.open(file.memory(), number, name, directory.bootId());
        if (log.previousLog() >= manifest.oldestLog() && !live.contains(log.previousLog())) {
            String missing = LogFiles.name(log.previousLog());
            throw new CorruptionException(
                    missing, 0, "log is missing, but comes before file=" + name);
        }
        log.forEach((_, _) -> {});
        report(log);
        return log.isEmpty() ? null : MemTable.recover(log, number, new RecoveredLog(file, name));
    }

    private static void report(LogReplay log) {
        if (log.lostBytes() > 0) {
            LOG.warn(
                    "log ends early, as the machine went down before it was synced: file={} offset={} lostBytes={}",
                    log.records(),
                    log.end(),
                    log.lostBytes());
        } else if (log.hasTornTail()) {
            LOG.info("cut the torn tail of a log: file={} offset={}", log.records(), log.end());
        }
    }

    Manifest manifest() {
        return manifest;
    }

    /** From the newest to the oldest; the caller takes them over. */
    List<SSTable> tables() {
        return tables;
    }

    /** From the newest to the oldest; the caller takes them over. */
    List<MemTable> memTables() {
        return memTables;
    }

    /** Number of the newest log that is still needed, or 0. */
    long newestLog() {
        return memTables.isEmpty() ? 0 : memTables.getFirst().logNumber();
    }

    /** The log of a recovered memtable. */
    private final class RecoveredLog implements Backing {
        private final MappedFile file;
        private final String name;

        RecoveredLog(MappedFile file, String name) {
            this.file = file;
            this.name = name;
        }

        @Override
        public void recycle() {
            reclaimer.execute(
                    () -> {
                        file.close();
                        try {
                            directory.delete(name);
                        } catch (IOException e) {
                            LOG.warn(
                                    "cannot delete log that is done with: file={}: {}",
                                    name,
                                    e.toString());
                        }
                    });
        }

        @Override
        public void detach() {
            reclaimer.execute(file::close);
        }
    }
}
