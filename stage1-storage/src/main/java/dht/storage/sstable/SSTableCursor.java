package dht.storage.sstable;

import dht.storage.EntryCursor;
import dht.storage.EntryView;

/**
 * Iterates over a table block by block, and verifies each block when it reaches it. The caller must
 * hold a reference to the table.
 */
final class SSTableCursor implements EntryCursor {
    private final SSTable table;
    private final SparseIndex index;
    private final byte[] to;
    private final EntryView entry = new EntryView();

    private final Block copy = new Block();
    private int block;
    private int nextOrdinal;

    SSTableCursor(SSTable table, byte[] from, byte[] to) {
        this.table = table;
        this.index = table.index();
        this.to = to;
        seek(from);
    }

    private void seek(byte[] from) {
        if (from == null || table.beginsAfter(from)) {
            enter(0);
        } else if (table.endsBefore(from)) {
            block = index.blockCount();
        } else {
            enter(index.floor(from));
            nextOrdinal = copy.ceiling(from);
        }
    }

    private void enter(int newBlock) {
        block = newBlock;
        table.load(newBlock, copy);
        nextOrdinal = 0;
    }

    @Override
    public boolean next() {
        if (block == index.blockCount()) {
            return false;
        }
        if (nextOrdinal == copy.count()) {
            if (block + 1 == index.blockCount()) {
                return end();
            }
            enter(block + 1);
        }
        copy.read(nextOrdinal++, entry);
        return to == null || entry.compareKey(to) < 0 || end();
    }

    private boolean end() {
        block = index.blockCount();
        return false;
    }

    @Override
    public EntryView entry() {
        return entry;
    }

    @Override
    public void close() {}
}
