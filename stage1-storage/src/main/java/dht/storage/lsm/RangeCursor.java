package dht.storage.lsm;

import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.SlowReader;
import dht.storage.compaction.MergingCursor;
import dht.storage.memory.RefCounted;
import dht.storage.memtable.MemTable;
import dht.storage.sstable.SSTable;
import java.util.ArrayList;
import java.util.List;

/**
 * Walks the entries of one version, each key once. Holds on to those memtables and tables that may
 * have entries in the range, and to each of them until its last entry is passed.
 */
final class RangeCursor implements EntryCursor {
    private final Pin pin;
    private final MergingCursor merged;

    /**
     * @param version held by the caller meanwhile
     * @param pin holds nothing yet
     */
    RangeCursor(Version version, byte[] from, byte[] to, Pin pin) {
        this.pin = pin;
        List<EntryCursor> cursors = new ArrayList<>();
        try {
            for (MemTable memTable : version.memTables()) {
                pin.add(memTable);
                cursors.add(new PartCursor(memTable, memTable.cursor(from, to)));
            }
            for (SSTable table : version.tables()) {
                if (table.overlaps(from, to)) {
                    pin.add(table);
                    cursors.add(new PartCursor(table, table.cursor(from, to)));
                }
            }
            this.merged = new MergingCursor(cursors);
        } catch (Throwable e) {
            pin.release();
            throw e;
        }
    }

    @Override
    public boolean next() {
        return merged.next();
    }

    @Override
    public EntryView entry() {
        return merged.entry();
    }

    @Override
    public void watch(SlowReader reader) {
        pin.watch(reader);
    }

    @Override
    public void close() {
        merged.close();
        pin.release();
    }

    /** Lets go of its part when it is closed, which it is at its end. */
    private final class PartCursor implements EntryCursor {
        private final RefCounted part;
        private final EntryCursor entries;

        PartCursor(RefCounted part, EntryCursor entries) {
            this.part = part;
            this.entries = entries;
        }

        @Override
        public boolean next() {
            return entries.next();
        }

        @Override
        public EntryView entry() {
            return entries.entry();
        }

        @Override
        public void close() {
            pin.release(part);
        }
    }
}
