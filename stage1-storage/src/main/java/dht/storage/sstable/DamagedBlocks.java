package dht.storage.sstable;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.storage.CorruptionException;
import dht.storage.EntryCursor;
import dht.storage.LostRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The damaged blocks of a table: a read has found that they cannot be read, or fail their checksum.
 * A block is removed from this set only when {@link #check} can read it. The blocks stay in the
 * table, so a read that needs one of them fails: a lost version must not look like an absent one.
 *
 * <p>Thread-safe for callers that hold a reference to the table. Adding a block allocates nothing.
 */
public final class DamagedBlocks {
    private final SSTable table;
    private volatile boolean isEmpty = true;

    @GuardedBy("this")
    private final BitSet blocks;

    DamagedBlocks(SSTable table) {
        this.table = table;
        this.blocks = new BitSet(table.blockCount());
    }

    public boolean isEmpty() {
        return isEmpty;
    }

    public synchronized int count() {
        return blocks.cardinality();
    }

    synchronized void add(int block) {
        isEmpty = false;
        blocks.set(block);
    }

    private synchronized void remove(int block) {
        blocks.clear(block);
        isEmpty = blocks.isEmpty();
    }

    /**
     * Reads a block, and notes whether it is damaged. Views that this thread has got from {@link
     * SSTable#find} are invalid afterwards.
     *
     * @return the size of the block in bytes
     */
    public long check(int block) {
        try {
            table.load(block, SSTable.BLOCK.get());
            if (!isEmpty) {
                remove(block); // The disk was not able to read it before.
            }
        } catch (CorruptionException e) {
            assert !isEmpty : e;
        }
        return table.index().blockLength(block);
    }

    /** Calls {@link #check} for all blocks, until it is cancelled. */
    public void checkAll(BooleanSupplier isCancelled) {
        for (int block = 0; block < table.blockCount() && !isCancelled.getAsBoolean(); block++) {
            check(block);
        }
    }

    /** The ranges of keys that the damaged blocks cover, one for each group of neighbours. */
    public List<LostRange> ranges() {
        BitSet damaged = copy();
        List<LostRange> ranges = new ArrayList<>();
        int first = damaged.nextSetBit(0);
        while (first >= 0) {
            int end = damaged.nextClearBit(first);
            ranges.add(
                    new LostRange(
                            table.number(), first, end, table.index().key(first), endKey(end)));
            first = damaged.nextSetBit(end);
        }
        return ranges;
    }

    private synchronized BitSet copy() {
        return (BitSet) blocks.clone();
    }

    private byte[] endKey(int block) {
        byte[] key = table.index().key(block);
        // The greatest key of the table is in the last block; the key with a zero more is the next.
        return block == table.blockCount() ? Arrays.copyOf(key, key.length + 1) : key;
    }

    /**
     * Iterates over the entries of the table. Skips these ranges' blocks, if they still cannot be
     * read.
     */
    public EntryCursor survivors(List<LostRange> ranges) {
        BitSet lost = new BitSet();
        ranges.forEach(range -> lost.set(range.firstBlock(), range.endBlock()));
        return new SurvivorCursor(table, lost);
    }
}
