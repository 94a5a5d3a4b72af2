package dht.storage.lsm;

import dht.storage.CorruptionException;
import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.LostRange;
import dht.storage.sstable.KeyHash;
import dht.storage.sstable.SSTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The damaged tables of an engine, and how to mend them. The engine itself cannot bring back what
 * was lost. A caller that has the lost versions from elsewhere writes them again, with their
 * original stamps, and then drops the damaged blocks.
 *
 * <p>Seam: from stage 4 on, a node fetches the lost versions from other nodes. Thread-safe.
 */
public final class DamagedTables {
    private final Snapshots snapshots;
    private final Pins pins;
    private final Compactor compactor;
    private final BackgroundTask compacting;

    DamagedTables(Snapshots snapshots, Pins pins, Compactor compactor, BackgroundTask compacting) {
        this.snapshots = snapshots;
        this.pins = pins;
        this.compactor = compactor;
        this.compacting = compacting;
    }

    /** The lost ranges that are known: a list for each damaged table, the oldest table first. */
    public List<List<LostRange>> lost() {
        return inSnapshot(
                snapshot -> {
                    List<List<LostRange>> lost = new ArrayList<>();
                    for (SSTable table : snapshot.tables().reversed()) {
                        List<LostRange> ranges =
                                table.damage().isEmpty() ? List.of() : table.damage().ranges();
                        if (!ranges.isEmpty()) {
                            lost.add(ranges);
                        }
                    }
                    return lost;
                });
    }

    /**
     * Opens a cursor over the doubtful values in a lost range: values in other tables and in
     * memtables, whose key the damaged table may have in a newer version. Readers see such a value
     * again when the damaged blocks are dropped, although a tombstone in these blocks may have
     * deleted it. The caller must close the cursor. Older damaged tables must be mended before.
     *
     * @param beforeMicros values with this stamp or a greater one are left out
     * @return empty if the table is not there any more, or if it has no version with a stamp less
     *     than {@code beforeMicros}; otherwise a cursor, which may have no entries
     * @throws dht.storage.CorruptionException if a block of another table is damaged
     */
    public Optional<EntryCursor> doubtful(LostRange range, long beforeMicros) {
        return inSnapshot(
                snapshot ->
                        find(snapshot, range.table())
                                .filter(table -> table.leastTimestampMicros() < beforeMicros)
                                .flatMap(
                                        table ->
                                                found(
                                                        new DoubtfulCursor(
                                                                snapshot,
                                                                table,
                                                                range,
                                                                beforeMicros))));
    }

    /**
     * Whether the table of a lost range may have a version of this key, by the table's filter. Does
     * not read its blocks.
     *
     * @return false if the table is not there any more
     */
    public boolean mayContain(LostRange range, byte[] key) {
        return inSnapshot(
                snapshot ->
                        find(snapshot, range.table())
                                .filter(table -> table.mayContain(key, KeyHash.of(key)))
                                .isPresent());
    }

    /** If there is no memory for the result, nobody else would close the cursor. */
    private static Optional<EntryCursor> found(EntryCursor cursor) {
        boolean isReturned = false;
        try {
            Optional<EntryCursor> found = Optional.of(cursor);
            isReturned = true;
            return found;
        } finally {
            if (!isReturned) {
                cursor.close();
            }
        }
    }

    /**
     * The entries of the range in all memtables, and in all tables without known damage. A damaged
     * table is left out, because its damaged blocks would fail the cursor.
     */
    private EntryCursor others(Snapshot snapshot, LostRange range) {
        List<SSTable> whole =
                snapshot.tables().stream().filter(table -> table.damage().isEmpty()).toList();
        Snapshot others = new Snapshot(snapshot.memTables(), whole);
        try {
            return new RangeCursor(others, range.from(), range.to(), pins.begin());
        } finally {
            others.release();
        }
    }

    /**
     * Replaces a table by one without these ranges' blocks, and waits for it. The damaged file is
     * deleted. A block that can be read again keeps its entries. Does nothing if the table is not
     * there any more.
     *
     * @param ranges at least one, all of one table; the versions in them that are still needed must
     *     have been written again, durably
     * @throws CorruptionException if more blocks are damaged; they are added to {@link #lost}, and
     *     nothing is dropped
     * @throws dht.storage.StorageException if the table could not be replaced, or if the thread was
     *     interrupted while it waited; the table may be replaced nevertheless, later
     */
    public void drop(List<LostRange> ranges) {
        compacting.callInterruptibly(
                () -> {
                    compactor.dropLost(ranges);
                    return null;
                });
    }

    private static Optional<SSTable> find(Snapshot snapshot, long number) {
        return snapshot.tables().stream().filter(table -> table.number() == number).findAny();
    }

    private <T> T inSnapshot(Function<Snapshot, T> action) {
        Snapshot snapshot = snapshots.pin();
        try {
            return action.apply(snapshot);
        } finally {
            snapshot.release();
        }
    }

    /**
     * The values among other tables' entries that may be older than an entry of the damaged table.
     */
    private final class DoubtfulCursor implements EntryCursor {
        private final SSTable damaged;
        private final long beforeMicros;
        private final EntryCursor others;

        DoubtfulCursor(Snapshot snapshot, SSTable damaged, LostRange range, long beforeMicros) {
            this.damaged = damaged;
            this.beforeMicros = beforeMicros;
            this.others = others(snapshot, range);
            damaged.retain(); // Last, because it cannot fail.
        }

        @Override
        public boolean next() {
            while (others.next()) {
                if (isDoubtful(others.entry())) {
                    return true;
                }
            }
            return false;
        }

        private boolean isDoubtful(EntryView entry) {
            long timestampMicros = entry.timestampMicros();
            if (entry.isTombstone()
                    || timestampMicros >= beforeMicros
                    || timestampMicros > damaged.greatestTimestampMicros()) {
                return false;
            }
            byte[] key = entry.copyKey();
            return damaged.mayContain(key, KeyHash.of(key));
        }

        @Override
        public EntryView entry() {
            return others.entry();
        }

        @Override
        public void close() {
            others.close();
            damaged.release();
        }
    }
}
