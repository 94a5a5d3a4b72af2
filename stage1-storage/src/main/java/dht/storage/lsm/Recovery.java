package dht.storage.lsm;

import dht.storage.CorruptionException;
import dht.storage.Durability;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.LongFunction;
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
    private final Durability durability;
    private final Executor reclaimer;
    private final List<SSTable> tables = new ArrayList<>();
    private final List<MemTable> memTables = new ArrayList<>();
    private Manifest manifest;
    private long greatestTimestampMicros;
    private long newestLogEnd;

    private Recovery(StorageDirectory directory, Durability durability, Executor reclaimer) {
        this.directory = directory;
        this.durability = durability;
        this.reclaimer = reclaimer;
    }

    /**
     * Recovers a directory; an empty one gets a manifest.
     *
     * @param durability how durable an entry must be before it is shown
     * @param reclaimer frees what the version no longer needs
     * @throws CorruptionException if something is damaged or missing; nothing was changed then
     */
    static Recovery run(StorageDirectory directory, Durability durability, Executor reclaimer)
            throws IOException {
        Recovery recovery = new Recovery(directory, durability, reclaimer);
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
        NavigableMap<Long, String> logs = numbered(files, LogFiles.SUFFIX, LogFiles::name);
        NavigableMap<Long, String> tableFiles = numbered(files, SSTable.SUFFIX, SSTable::fileName);
        manifest = ManifestFile.load(directory).orElse(null);
        if (manifest == null) {
            initialize(logs.values(), tableFiles.values());
        }
        greatestTimestampMicros = manifest.greatestTimestampMicros();
        openTables(tableFiles);
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
        deleteLeftovers(files, tableFiles.values(), logs.descendingMap().values());
    }

    private static NavigableMap<Long, String> numbered(
            List<String> files, String suffix, LongFunction<String> nameOf) {
        NavigableMap<Long, String> byNumber = new TreeMap<>();
        for (String file : files) {
            String stem = file.substring(0, Math.max(0, file.length() - suffix.length()));
            if (file.endsWith(suffix) && stem.matches("[0-9]{1,18}")) {
                long number = Long.parseLong(stem);
                if (file.equals(nameOf.apply(number))) { // Else it is none of ours.
                    byNumber.put(number, file);
                }
            }
        }
        return byNumber;
    }

    private static long last(NavigableMap<Long, String> byNumber) {
        return byNumber.isEmpty() ? 0 : byNumber.lastKey();
    }

    /**
     * Deletes what a crash left of files that were never finished, of tables that no manifest
     * names, and of logs that were flushed or never used. A log names the one before it: so logs go
     * from the newest to the oldest, each durably, lest one should be missing at the next start.
     */
    private void deleteLeftovers(
            List<String> files, Collection<String> tableFiles, Collection<String> newestLogsFirst)
            throws IOException {
        for (String file : files) {
            if (file.endsWith(LogFiles.NEW_SUFFIX) || file.equals(ManifestFile.NEW_NAME)) {
                directory.delete(file);
            }
        }
        for (String file : tableFiles) {
            directory.delete(file);
        }
        for (String file : newestLogsFirst) {
            directory.delete(file);
            directory.sync();
        }
    }

    /**
     * Logs and tables are never made before the first manifest is: if they are there, it got lost.
     */
    private void initialize(Collection<String> logs, Collection<String> tableFiles)
            throws IOException {
        List<String> orphans = new ArrayList<>(logs);
        orphans.addAll(tableFiles);
        if (!orphans.isEmpty()) {
            throw new CorruptionException(
                    ManifestFile.NAME,
                    0,
                    "manifest is missing, but there is file=" + orphans.getFirst());
        }
        manifest = Manifest.EMPTY;
        ManifestFile.store(directory, manifest);
    }

    private void openTables(Map<Long, String> tableFiles) throws IOException {
        for (TableReference reference : manifest.tables()) {
            String name = SSTable.fileName(reference.number());
            if (!tableFiles.containsKey(reference.number())) {
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
        Map<Long, LogReplay> replayed = new HashMap<>();
        for (Map.Entry<Long, String> entry : logs.entrySet()) {
            long number = entry.getKey();
            MappedFile file = directory.map(entry.getValue());
            boolean isKept = false;
            try {
                LogReplay log =
                        LogReplay.open(file.memory(), number, entry.getValue(), directory.bootId());
                checkPrevious(log, logs.keySet());
                log.forEach((_, _) -> {});
                report(log);
                replayed.put(number, log);
                LogReplay previous = replayed.get(log.previousLog());
                if (!log.isEmpty() && previous != null && !log.follows(previous)) {
                    reportDropped(logs.tailMap(number).values(), previous);
                    return;
                }
                if (!log.isEmpty()) {
                    add(log, number, new RecoveredLog(file, entry.getValue()));
                    isKept = true;
                }
            } finally {
                if (!isKept) {
                    file.close();
                }
            }
        }
    }

    private void checkPrevious(LogReplay log, Set<Long> live) {
        if (log.previousLog() >= manifest.oldestLog() && !live.contains(log.previousLog())) {
            throw new CorruptionException(
                    LogFiles.name(log.previousLog()),
                    0,
                    "log is missing, but comes before file=" + log.records());
        }
    }

    private void add(LogReplay log, long number, RecoveredLog backing) throws IOException {
        if (durability == Durability.FSYNC) {
            directory.sync(backing.name); // Nothing is shown that a power failure could take back.
        }
        MemTable memTable = MemTable.recover(log, number, backing);
        memTables.addFirst(memTable);
        newestLogEnd = log.end();
        greatestTimestampMicros =
                Math.max(greatestTimestampMicros, memTable.greatestTimestampMicros());
    }

    private static void reportDropped(Collection<String> names, LogReplay previous) {
        LOG.warn(
                "logs are dropped, as they go on after what was lost of file={}: files={}",
                previous.records(),
                names);
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

    /** Where the last record of that log ends, or 0. */
    long newestLogEnd() {
        return newestLogEnd;
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
