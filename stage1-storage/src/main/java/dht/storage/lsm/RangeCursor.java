package dht.storage.lsm;

import dht.storage.EntryCursor;
import dht.storage.EntryView;
import dht.storage.compaction.MergingCursor;
import dht.storage.memtable.MemTable;
import dht.storage.sstable.SSTable;
import java.util.ArrayList;
import java.util.List;

/** Walks the entries of one version, each key once, and holds on to the version. */
final class RangeCursor implements EntryCursor {
    private final Version version;
    private final MergingCursor merged;
    private boolean closed;

    /**
     * @param version held by the caller, who hands his hold over
     */
    RangeCursor(Version version, byte[] from, byte[] to) {
        this.version = version;
        List<EntryCursor> cursors = new ArrayList<>();
        for (MemTable memTable : version.memTables()) {
            cursors.add(memTable.cursor(from, to));
        }
        for (SSTable table : version.tables()) {
            cursors.add(table.cursor(from, to));
        }
        this.merged = new MergingCursor(cursors);
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
    public void close() {
        if (!closed) {
            closed = true;
            merged.close();
            version.release();
        }
    }
}
