package dht.storage.lsm;

import static java.util.Comparator.comparingLong;

import dht.storage.CorruptionException;
import dht.storage.EntryView;
import dht.storage.LostRange;
import dht.storage.StorageException;
import dht.storage.StorageOptions;
import dht.storage.compaction.Compaction;
import dht.storage.compaction.CompactionPolicy;
import dht.storage.compaction.CompactionPolicy.Run;
import dht.storage.compaction.CompactionPolicy.TableSize;
import dht.storage.memtable.MemTable;
import dht.storage.sstable.KeyHash;
import dht.storage.sstable.SSTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges tables as long as the policy requires it. While fewer than half as many tables as allowed
 * {@linkplain Snapshot#countedTables count}, a {@link Throttle} leaves processor time to requests.
 * A long merge pauses for shorter merges of newer tables. So flushing waits for a long merge only
 * if, beside that merge's inputs, the limit allows fewer than two newer tables. A merge keeps its
 * inputs, but no memtables. Used by one thread, except {@link #cancel}.
 */
final class Compactor {
    private static final Logger LOG = LoggerFactory.getLogger(Compactor.class);

    private final StorageOptions options;
    private final CompactionPolicy policy;
    private final Snapshots snapshots;
    private final SSTableFactory tableFactory;
    private final Runnable onCompacted;
    private final Throttle throttle;
    private final Set<SSTable> busy = new HashSet<>();
    private volatile boolean cancelled;

    /**
     * @param onCompacted called after tables were replaced; must not fail
     */
    Compactor(
            StorageOptions options,
            CompactionPolicy policy,
            Snapshots snapshots,
            SSTableFactory tableFactory,
            Throttle throttle,
            Runnable onCompacted) {
        this.options = options;
        this.policy = policy;
        this.snapshots = snapshots;
        this.tableFactory = tableFactory;
        this.throttle = throttle;
        this.onCompacted = onCompacted;
        // The first element allocates the set's table. If there were no memory for it later, the
        // set would be damaged, and might not find its elements again.
        busy.add(null);
        busy.clear();
    }

    /** Runs all merges that are due. */
    void work() throws IOException {
        try {
            boolean more = true;
            while (more) {
                more = compactOnce();
            }
        } catch (CancellationException e) {
            LOG.debug("compaction was given up: {}", e.getMessage());
        }
    }

    private boolean compactOnce() throws IOException {
        Snapshot inputs = pin(this::pickDue);
        try {
            if (!inputs.tables().isEmpty()) {
                replace(inputs.tables(), () -> merge(inputs.tables()));
            }
            return !inputs.tables().isEmpty();
        } finally {
            inputs.release();
        }
    }

    /**
     * Pins some of the current tables, and nothing else: the memtables of a snapshot could not be
     * used again until the end of a merge.
     */
    private Snapshot pin(UnaryOperator<List<SSTable>> choice) {
        Snapshot snapshot = snapshots.pin();
        try {
            return new Snapshot(List.of(), choice.apply(snapshot.tables()));
        } finally {
            snapshot.release();
        }
    }

    private List<SSTable> pickDue(List<SSTable> tables) {
        List<SSTable> due = pick(tables);
        if (due.isEmpty()) {
            checkNotStuck(tables);
        }
        return due;
    }

    /** Chooses the tables to merge next. */
    private List<SSTable> pick(List<SSTable> tables) {
        boolean isFull = policy.isFull(Snapshot.countedTables(tables));
        List<List<SSTable>> groups = groups(tables);
        for (List<SSTable> group : groups) {
            Optional<Run> run = policy.pick(sizes(group), isFull);
            if (run.isPresent()) {
                return group.subList(run.get().first(), run.get().end());
            }
        }
        // Otherwise flushing would wait: for a running merge, or until a damaged table is mended.
        boolean mustMakeRoom = isFull && (groups.size() > 1 || !busy.isEmpty());
        return mustMakeRoom ? smallest(groups) : List.of();
    }

    /**
     * The groups of adjacent tables, among those that are newer than all tables in a running merge.
     * A damaged table is in no group. So the tables before it and the tables after it are not
     * adjacent.
     */
    private List<List<SSTable>> groups(List<SSTable> tables) {
        List<List<SSTable>> groups = new ArrayList<>();
        groups.add(new ArrayList<>());
        for (SSTable table : tables) {
            if (busy.contains(table)) {
                break;
            } else if (table.damage().isEmpty()) {
                groups.getLast().add(table);
            } else {
                groups.add(new ArrayList<>());
            }
        }
        return groups;
    }

    private static List<TableSize> sizes(List<SSTable> group) {
        return group.stream()
                .map(
                        table ->
                                new TableSize(
                                        table.fileBytes(),
                                        table.entryCount(),
                                        table.tombstoneCount()))
                .toList();
    }

    /** The group of two tables or more that is the cheapest to rewrite; empty if there is none. */
    private static List<SSTable> smallest(List<List<SSTable>> groups) {
        return groups.stream()
                .filter(group -> group.size() > 1)
                .min(comparingLong(group -> group.stream().mapToLong(SSTable::fileBytes).sum()))
                .orElse(List.of());
    }

    /**
     * @throws StorageException if there are too many tables, and damage prevents merging them
     */
    private void checkNotStuck(List<SSTable> tables) {
        List<SSTable> damaged = tables.stream().filter(t -> !t.damage().isEmpty()).toList();
        boolean isFull = policy.isFull(Snapshot.countedTables(tables));
        if (isFull && busy.isEmpty() && !damaged.isEmpty()) {
            throw new StorageException(
                    "too many damaged tables: tables=%d damaged=%s: check the disk; stop the server, restore these files from a backup, and start it; or, from stage 4 on, wait until the other nodes have sent what is lost"
                            .formatted(tables.size(), damaged));
        }
    }

    /** Merges all tables into one. */
    void compactAll() throws IOException {
        Snapshot inputs = pin(tables -> tables);
        try {
            List<SSTable> tables = inputs.tables();
            if (!tables.isEmpty() && !isOneClean(tables)) {
                replace(tables, () -> merge(tables));
            }
        } finally {
            inputs.release();
        }
    }

    private static boolean isOneClean(List<SSTable> tables) {
        SSTable newest = tables.getFirst();
        return tables.size() == 1 && newest.tombstoneCount() == 0 && newest.damage().isEmpty();
    }

    /**
     * Replaces a table by one without the blocks of lost ranges, which all belong to this table. A
     * tombstone in another block is never dropped. Does nothing if the table is not there any more.
     */
    void dropLost(List<LostRange> ranges) throws IOException {
        long number = ranges.getFirst().table();
        Snapshot damaged =
                pin(tables -> tables.stream().filter(each -> each.number() == number).toList());
        try {
            for (SSTable table : damaged.tables()) { // One, or none.
                dropLost(table, ranges);
            }
        } finally {
            damaged.release();
        }
    }

    private void dropLost(SSTable table, List<LostRange> ranges) throws IOException {
        try {
            replace(List.of(table), () -> copySurvivors(table, ranges));
        } catch (CorruptionException e) {
            table.damage()
                    .checkAll(() -> cancelled); // Otherwise each attempt finds one block more.
            throw e;
        }
    }

    private SSTable copySurvivors(SSTable table, List<LostRange> ranges) throws IOException {
        throttle.begin();
        return tableFactory.make(
                table.entryCount(),
                writer ->
                        Compaction.copy(
                                table.damage().survivors(ranges), writer::add, this::checkpoint));
    }

    /** Writes a table. */
    @FunctionalInterface
    private interface Output {
        SSTable write() throws IOException;
    }

    private void replace(List<SSTable> inputs, Output output) throws IOException {
        try {
            busy.addAll(inputs);
            snapshots.checkStorable();
            long startNanos = System.nanoTime();
            snapshots.replaceCompacted(inputs, output.write());
            onCompacted.run();
            LOG.debug(
                    "compacted tables={} millis={}",
                    inputs,
                    (System.nanoTime() - startNanos) / 1_000_000);
        } finally {
            for (int i = 0; i < inputs.size(); i++) { // Allocates nothing, because that could fail.
                busy.remove(inputs.get(i));
            }
        }
    }

    /** Writes the merged table; returns null if no entry remained. */
    private SSTable merge(List<SSTable> inputs) throws IOException {
        throttle.begin();
        Compaction compaction = new Compaction(inputs, tombstone -> isDroppable(tombstone, inputs));
        return tableFactory.make(
                compaction.entryCountMax(), writer -> compaction.run(writer, this::checkpoint));
    }

    private void checkpoint() throws IOException {
        if (cancelled) {
            throw new CancellationException("storage is being closed");
        }
        compactOnce(); // Merges tables that were added during this merge.
        if (snapshots.countedTables() < options.tableCountMax() / 2) {
            throttle.rest();
        }
    }

    /**
     * Whether a tombstone is no longer needed: its grace period has passed, and no older version of
     * its key can be outside the merged tables.
     */
    private boolean isDroppable(EntryView tombstone, List<SSTable> inputs) {
        long nowMicros = TimeUnit.MILLISECONDS.toMicros(options.clock().millis());
        long graceMicros = TimeUnit.MICROSECONDS.convert(options.tombstoneGrace());
        long timestampMicros = tombstone.timestampMicros();
        if (timestampMicros > nowMicros - graceMicros) {
            // Compared with a difference, because timestampMicros + graceMicros could overflow.
            return false;
        }
        byte[] key = tombstone.copyKey();
        Snapshot snapshot = snapshots.pin();
        try {
            return snapshot.memTables().stream()
                            .noneMatch(table -> mayHoldOlder(table, key, timestampMicros))
                    && snapshot.tables().stream()
                            .filter(table -> !inputs.contains(table))
                            .noneMatch(table -> mayHoldOlder(table, key, timestampMicros));
        } finally {
            snapshot.release();
        }
    }

    private static boolean mayHoldOlder(MemTable table, byte[] key, long timestampMicros) {
        return table.leastTimestampMicros() <= timestampMicros && table.contains(key);
    }

    private static boolean mayHoldOlder(SSTable table, byte[] key, long timestampMicros) {
        return table.leastTimestampMicros() <= timestampMicros
                && table.mayContain(key, KeyHash.of(key));
    }

    /**
     * Makes the running merge and all later merges end at their next checkpoint. Their unfinished
     * tables are deleted.
     */
    void cancel() {
        cancelled = true;
    }
}
