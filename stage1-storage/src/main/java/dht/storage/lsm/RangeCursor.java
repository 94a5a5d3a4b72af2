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
 * Iterates over the entries of one snapshot in a range, each key once. Keeps the memtables and
 * tables that may have entries in the range, each one until its last entry is passed. Used by one
 * thread at a time.
 */
final class RangeCursor implements EntryCursor {
    private final Pin pin;
    private final MergingCursor merged;

    /**
     * @param snapshot must be retained by the caller during this call
     * @param pin an empty pin
     */
    RangeCursor(Snapshot snapshot, byte[] from, byte[] to, Pin pin) {
        this.pin = pin;
        List<EntryCursor> cursors = new ArrayList<>();
        try {
            for (MemTable memTable : snapshot.memTables()) {
                pin.add(memTable);
                cursors.add(new PartCursor(memTable, memTable.cursor(from, to)));
            }
            for (SSTable table : snapshot.tables()) {
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

    /**
     * The entries of one memtable or table. It is closed at its end, and then releases the part.
     */
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
