package dht.storage.sstable;

import dht.storage.CorruptionException;
import dht.storage.EntryCursor;
import dht.storage.EntryView;
import java.util.BitSet;

/**
 * Iterates over a table, and skips those of its lost blocks that cannot be read. If another block
 * cannot be read, it throws a {@link CorruptionException}. The caller must hold a reference to the
 * table.
 */
final class SurvivorCursor implements EntryCursor {
    private final SSTable table;
    private final BitSet lost;
    private final EntryView entry = new EntryView();
    private final Block copy = new Block();
    private int nextBlock;
    private int nextOrdinal;

    SurvivorCursor(SSTable table, BitSet lost) {
        this.table = table;
        this.lost = lost;
    }

    @Override
    public boolean next() {
        while (nextOrdinal == copy.count()) {
            if (nextBlock == table.blockCount()) {
                return false;
            }
            nextOrdinal = enter(nextBlock++) ? 0 : copy.count();
        }
        copy.read(nextOrdinal++, entry);
        return true;
    }

    /** Returns false if the block is lost. */
    private boolean enter(int block) {
        try {
            table.load(block, copy);
            return true;
        } catch (CorruptionException e) {
            if (!lost.get(block)) {
                throw e;
            }
            return false;
        }
    }

    @Override
    public EntryView entry() {
        return entry;
    }

    @Override
    public void close() {}
}
