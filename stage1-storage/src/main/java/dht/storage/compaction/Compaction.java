package dht.storage.compaction;

import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.sstable.SSTable;
import dht.storage.sstable.SSTableWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * One merge of several tables into one. Used by one thread, which holds references to the tables.
 */
public final class Compaction {
    /** How many bytes of keys and values are merged between two calls of the checkpoint. */
    private static final long STEP_BYTES = 256 << 10;

    private final List<SSTable> tables;
    private final Predicate<EntryView> droppable;

    /**
     * @param droppable whether a winning tombstone may be dropped: it is old enough, and no older
     *     version of its key can remain outside these tables
     */
    public Compaction(List<SSTable> tables, Predicate<EntryView> droppable) {
        this.tables = List.copyOf(tables);
        this.droppable = droppable;
    }

    /** An upper bound of the number of entries in the result. */
    public long entryCountMax() {
        return tables.stream().mapToLong(SSTable::entryCount).sum();
    }

    /** Called from time to time during a merge. */
    @FunctionalInterface
    public interface Checkpoint {
        /** Returns, or throws an exception to abort the merge. */
        void pass() throws IOException;
    }

    /** Writes the merged entries. Neither finishes nor closes the writer. */
    public void run(SSTableWriter writer, Checkpoint checkpoint) throws IOException {
        List<EntryCursor> cursors = new ArrayList<>();
        for (SSTable table : tables) {
            cursors.add(table.cursor(null, null));
        }
        copy(new MergingCursor(cursors), entry -> add(entry, writer), checkpoint);
    }

    private void add(EntryView entry, SSTableWriter writer) throws IOException {
        if (!entry.isTombstone() || !droppable.test(entry)) {
            writer.add(entry);
        }
    }

    /** Takes the entries of a table that is being written. */
    @FunctionalInterface
    public interface Target {
        void take(EntryView entry) throws IOException;
    }

    /** Passes on all entries of a cursor, and closes it. */
    public static void copy(EntryCursor cursor, Target target, Checkpoint checkpoint)
            throws IOException {
        try (cursor) {
            long stepBytes = 0;
            while (cursor.next()) {
                EntryView entry = cursor.entry();
                target.take(entry);
                stepBytes += entry.keyLength() + Math.max(0, entry.valueLength());
                if (stepBytes >= STEP_BYTES) {
                    stepBytes = 0;
                    checkpoint.pass();
                }
            }
        }
    }
}
