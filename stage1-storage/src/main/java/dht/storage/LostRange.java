package dht.storage;

import java.util.Objects;

/**
 * A range of keys whose versions in one table cannot be read, because neighbouring blocks of the
 * table are damaged. Until these blocks are removed from the table, a read of such a key fails if
 * the newest version could be among them. Immutable.
 *
 * @param table the number of the table
 * @param firstBlock the first damaged block
 * @param endBlock the first block after the damaged ones
 * @param from the first key
 * @param to the end of the range, which is not in it
 */
public record LostRange(long table, int firstBlock, int endBlock, byte[] from, byte[] to) {
    public int blockCount() {
        return endBlock - firstBlock;
    }

    /** Does not compare the keys: the table and its blocks determine them. */
    @Override
    public boolean equals(Object other) {
        return other instanceof LostRange range
                && table == range.table
                && firstBlock == range.firstBlock
                && endBlock == range.endBlock;
    }

    @Override
    public int hashCode() {
        return Objects.hash(table, firstBlock, endBlock);
    }
}
