package dht.storage.memtable;

import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.log.LogRecords;

/**
 * Iterates over a memtable as it was when the cursor was created. Records that were appended later
 * are skipped. Used by one thread at a time, which must hold a reference to the memtable.
 */
final class MemTableCursor implements EntryCursor {
    private final SkipList index;
    private final LogRecords records;
    private final byte[] to;
    private final long visibleUpTo;
    private final EntryView entry = new EntryView();
    private int nextNode;

    MemTableCursor(SkipList index, LogRecords records, byte[] from, byte[] to, long visibleUpTo) {
        this.index = index;
        this.records = records;
        this.to = to;
        this.visibleUpTo = visibleUpTo;
        this.nextNode = from == null ? index.first() : index.ceiling(from);
    }

    @Override
    public boolean next() {
        while (nextNode != NodeLayout.NONE && (to == null || index.compare(to, nextNode) > 0)) {
            long record = index.record(nextNode, visibleUpTo);
            nextNode = index.next(nextNode);
            if (record >= 0) {
                records.read(record, entry);
                return true;
            }
        }
        nextNode = NodeLayout.NONE;
        return false;
    }

    @Override
    public EntryView entry() {
        return entry;
    }

    @Override
    public void close() {}
}
