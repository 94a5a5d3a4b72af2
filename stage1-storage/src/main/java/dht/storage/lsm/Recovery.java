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
import java.util.HashSet;
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
 * Reads the state of a data directory: the tables in the manifest, and a memtable for each log that
 * was not flushed. Deletes unfinished files that a crash has left. Used once, by one thread, before
 * anything else uses the directory.
 */
final class Recovery implements AutoCloseable {
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
     * Recovers a directory. An empty directory gets a manifest.
     *
     * @param durability how durable an entry must be before readers can see it
     * @param reclaimer frees the memtables and tables later
     * @throws CorruptionException if something is damaged or missing; nothing is changed then
     */
    static Recovery run(StorageDirectory directory, Durability durability, Executor reclaimer)
            throws IOException {
        Recovery recovery = new Recovery(directory, durability, reclaimer);
        try {
            recovery.recover();
            return recovery;
        } catch (IOException | RuntimeException | Error e) {
            recovery.close();
            throw e;
        }
    }

    /**
     * Releases the recovered memtables and tables. The snapshot has retained those that it needs.
     */
    @Override
    public void close() {
        releaseAll(memTables);
        releaseAll(tables);
    }

    /** Allocates nothing, because that could fail in the middle. */
    private static void releaseAll(List<? extends RefCounted> parts) {
        for (int i = 0; i < parts.size(); i++) {
            RefCounted part = parts.get(i);
            if (part != null) {
                part.release();
            }
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
        checkOldestLog(logs.keySet());
        openTables(tableFiles);
        long oldestLog = manifest.oldestLog();
        replay(logs.tailMap(oldestLog, true));
        long nextFileNumber =
                Math.max(manifest.nextFileNumber(), 1 + Math.max(last(logs), last(tableFiles)));
        manifest =
                new Manifest(
                        nextFileNumber,
                        memTables.isEmpty() ? nextFileNumber : memTables.getLast().logNumber(),
                        greatestTimestampMicros,
                        manifest.totals(),
                        manifest.tables());
        manifest.tables().forEach(table -> tableFiles.remove(table.number()));
        memTables.forEach(memTable -> logs.remove(memTable.logNumber()));
        deleteUnfinished(files);
        deleteAll(tableFiles.values());
        deleteLogs(logs.descendingMap(), oldestLog);
    }

    /**
     * If the manifest names a log, that log existed when the manifest was stored: see {@link
     * Snapshots}.
     */
    private void checkOldestLog(Set<Long> logs) {
        long oldestLog = manifest.oldestLog();
        if (oldestLog < manifest.nextFileNumber() && !logs.contains(oldestLog)) {
            throw missing(oldestLog, "the manifest names it");
        }
    }

    private static NavigableMap<Long, String> numbered(
            List<String> files, String suffix, LongFunction<String> nameOf) {
        NavigableMap<Long, String> byNumber = new TreeMap<>();
        for (String file : files) {
            String stem = file.substring(0, Math.max(0, file.length() - suffix.length()));
            if (file.endsWith(suffix) && stem.matches("[0-9]{1,18}")) {
                long number = Long.parseLong(stem);
                if (file.equals(nameOf.apply(number))) {
                    // Otherwise the file is not one of the engine's.
                    byNumber.put(number, file);
                }
            }
        }
        return byNumber;
    }

    private static long last(NavigableMap<Long, String> byNumber) {
        return byNumber.isEmpty() ? 0 : byNumber.lastKey();
    }

    private void deleteUnfinished(List<String> files) throws IOException {
        for (String file : files) {
            if (file.endsWith(LogFiles.NEW_SUFFIX) || file.equals(ManifestFile.NEW_NAME)) {
                directory.delete(file);
            }
        }
    }

    private void deleteAll(Collection<String> files) throws IOException {
        for (String file : files) {
            directory.delete(file);
        }
    }

    /**
     * Deletes logs that no memtable needs: they were flushed, never used, or dropped. A log names
     * the log before it, and the manifest names one, too. So logs are deleted from the newest to
     * the oldest, each durably. Then the next start never looks for a log that was deleted here.
     */
    private void deleteLogs(Map<Long, String> newestFirst, long named) throws IOException {
        for (Map.Entry<Long, String> log : newestFirst.entrySet()) {
            if (log.getKey() != named || isUnnamed()) {
                directory.delete(log.getValue());
                directory.sync();
            }
        }
    }

    /**
     * Stores a manifest that does not name an unneeded log. Returns false if the disk has no room
     * for it.
     */
    private boolean isUnnamed() {
        try {
            ManifestFile.store(directory, manifest);
            return true;
        } catch (IOException e) {
            LOG.warn("cannot store manifest, so an empty log stays: {}", e.getMessage());
            return false;
        }
    }

    /**
     * Creates the first manifest. Logs and tables are created only after it, so if there are any,
     * the manifest was lost.
     */
    private void initialize(Collection<String> logs, Collection<String> tableFiles)
            throws IOException {
        List<String> orphans = new ArrayList<>(logs);
        orphans.addAll(tableFiles);
        if (!orphans.isEmpty()) {
            throw new CorruptionException(
                    ManifestFile.NAME,
                    0,
                    "manifest is missing, but there is file="
                            + orphans.getFirst()
                            + ": put the manifest back, or start from a backup");
        }
        manifest = Manifest.EMPTY;
        ManifestFile.store(directory, manifest);
    }

    private void openTables(Map<Long, String> tableFiles) throws IOException {
        for (TableReference reference : manifest.tables()) {
            String name = SSTable.fileName(reference.number());
            if (!tableFiles.containsKey(reference.number())) {
                throw new CorruptionException(
                        name,
                        0,
                        "table is missing, but the manifest names it: put the file back, or start"
                                + " from a backup");
            }
            tables.add(null); // Makes room first, because that could fail.
            SSTable table = SSTable.open(directory, reference.number(), reclaimer);
            tables.set(tables.size() - 1, table);
            if (table.fileBytes() != reference.fileBytes()) {
                throw new CorruptionException(
                        name,
                        table.fileBytes(),
                        "the table had bytes=" + reference.fileBytes() + " when it was written");
            }
        }
    }

    private void replay(SortedMap<Long, String> files) throws IOException {
        List<RecoveredLog> logs = new ArrayList<>();
        try {
            for (Map.Entry<Long, String> file : files.entrySet()) {
                logs.add(null); // Makes room first, because that could fail.
                logs.set(logs.size() - 1, read(file.getKey(), file.getValue(), files.keySet()));
            }
            addNeeded(logs, files);
        } finally {
            for (int i = 0; i < logs.size(); i++) { // Allocates nothing, because that could fail.
                RecoveredLog log = logs.get(i);
                if (log != null && !log.isAdded) {
                    log.file.close();
                }
            }
        }
    }

    private RecoveredLog read(long number, String name, Set<Long> live) throws IOException {
        MappedFile file = directory.map(name);
        boolean isRead = false;
        try {
            LogReplay replay = LogReplay.open(file.memory(), number, name, directory.bootId());
            checkNeighbours(replay, live);
            replay.forEach((_, _) -> {});
            RecoveredLog log = new RecoveredLog(number, name, file, replay);
            isRead = true;
            return log;
        } finally {
            if (!isRead) {
                file.close();
            }
        }
    }

    private void addNeeded(List<RecoveredLog> logs, SortedMap<Long, String> files)
            throws IOException {
        Set<Long> needed = needed(logs);
        Map<Long, LogReplay> replayed = new HashMap<>();
        for (RecoveredLog log : logs) {
            LogReplay replay = log.replay;
            report(replay);
            replayed.put(log.number, replay);
            if (!needed.contains(log.number)) {
                continue;
            }
            LogReplay previous = replayed.get(replay.previousLog());
            // An empty log is not synced when the logs after it are. So a power failure may have
            // removed the stored end from its header.
            boolean isKnown = !replay.isEmpty() || replay.knowsPreviousEnd();
            if (previous != null && isKnown && !replay.follows(previous)) {
                reportDropped(files.tailMap(log.number).values(), previous);
                return;
            }
            add(log);
        }
    }

    /**
     * The logs with records, and the empty logs that the log before or after them names: these must
     * stay until that log is flushed.
     */
    private static Set<Long> needed(List<RecoveredLog> logs) {
        Set<Long> needed = new HashSet<>();
        for (RecoveredLog log : logs) {
            needed.add(log.replay.nextLog());
        }
        for (RecoveredLog log : logs.reversed()) {
            if (!log.replay.isEmpty()) {
                needed.add(log.number);
            }
            if (needed.contains(log.number)) {
                needed.add(log.replay.previousLog());
            }
        }
        return needed;
    }

    private void checkNeighbours(LogReplay log, Set<Long> live) {
        if (log.previousLog() >= manifest.oldestLog() && !live.contains(log.previousLog())) {
            throw missing(log.previousLog(), "it comes before file=" + log.records());
        }
        if (log.nextLog() != 0 && !live.contains(log.nextLog())) {
            throw missing(log.nextLog(), "it comes after file=" + log.records());
        }
    }

    private static CorruptionException missing(long log, String butWhy) {
        return new CorruptionException(
                LogFiles.name(log),
                0,
                "log is missing, but " + butWhy + ": put the file back, or start from a backup");
    }

    private void add(RecoveredLog log) throws IOException {
        if (durability == Durability.FSYNC || log.replay.isEmpty()) {
            // Readers must not see an entry that a power failure could still remove. An empty log
            // stores where the log before it ends. That must be durable before a later log has
            // records.
            directory.sync(log.name);
        }
        memTables.addFirst(null); // Makes room first, because that could fail.
        MemTable memTable = MemTable.recover(log.replay, log.number, log);
        memTables.set(0, memTable);
        log.isAdded = true;
        newestLogEnd = log.replay.end();
        greatestTimestampMicros =
                Math.max(greatestTimestampMicros, memTable.greatestTimestampMicros());
    }

    private static void reportDropped(Collection<String> names, LogReplay previous) {
        LOG.warn(
                "logs are dropped, because they continue after the lost end of file={}: files={}",
                previous.records(),
                names);
    }

    private static void report(LogReplay log) {
        if (log.lostBytes() > 0) {
            LOG.warn(
                    "log ends before what was written to it: the machine crashed or lost power, or the disk is bad: file={} offset={} lostBytes={}",
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

    /** From the newest to the oldest. {@link #close} releases them. */
    List<SSTable> tables() {
        return tables;
    }

    /** From the newest to the oldest. {@link #close} releases them. */
    List<MemTable> memTables() {
        return memTables;
    }

    /** Where the last record of the newest log ends, or 0. */
    long newestLogEnd() {
        return newestLogEnd;
    }

    /** A log of an earlier process. */
    private final class RecoveredLog implements Backing {
        private final long number;
        private final String name;
        private final MappedFile file;
        private final LogReplay replay;
        private boolean isAdded; // Whether a memtable has taken it over, and closes the file.
        // Created in advance: later there may be no memory.
        private final Runnable removing = this::remove;
        private final Runnable closing;

        RecoveredLog(long number, String name, MappedFile file, LogReplay replay) {
            this.number = number;
            this.name = name;
            this.file = file;
            this.replay = replay;
            this.closing = file::close;
        }

        @Override
        public void recycle() {
            reclaimer.execute(removing);
        }

        private void remove() {
            file.close();
            try {
                directory.delete(name);
            } catch (IOException e) {
                LOG.warn("cannot delete obsolete log: file={}: {}", name, e.toString());
            } catch (OutOfMemoryError _) { // The next start deletes the file.
            }
        }

        @Override
        public void detach() {
            reclaimer.execute(closing);
        }
    }
}
