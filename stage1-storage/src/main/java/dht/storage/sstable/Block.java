package dht.storage.sstable;

import dht.storage.CorruptionException;
import dht.storage.Dao;
import dht.storage.EntryView;
import dht.storage.ReadOutcome;
import dht.storage.memory.Checksum;
import dht.storage.memory.MappedMemory;
import java.lang.foreign.MemorySegment;

/**
 * A checked copy of one block of a table. Its memory grows to the size of the largest block so far.
 *
 * <p>The copy of a block larger than {@link #WHOLE_BYTES_MAX} does not contain the middle of the
 * block. The middle is the end of the last value, so no entry begins there. That value is read from
 * the mapped file.
 *
 * <p>Not thread-safe.
 */
final class Block {
    /** The heads and keys of all entries are within this many bytes, for values of any length. */
    private static final int HEAD_BYTES_MAX =
            BlockLayout.MAX_ENTRY_OFFSET + BlockLayout.KEY_OFFSET + Dao.MAX_KEY_BYTES;

    /** Copies of values are made from a whole block, so they are smaller than this. */
    private static final int WHOLE_BYTES_MAX = ReadOutcome.UNCOPIED_BYTES_MIN;

    private static final int BYTES_MIN = 8 << 10;

    private byte[] bytes = {};
    private MemorySegment copy;
    private int length;
    private int count;

    // The position of the block.
    private MemorySegment file;
    private long offset;
    private int headBytes; // The bytes after it were not copied.

    /**
     * Copies a block.
     *
     * @throws CorruptionException if it fails its checksum, or cannot be read
     */
    void load(MemorySegment table, String tableName, long blockOffset, long blockLength) {
        file = table;
        offset = blockOffset;
        boolean isValid =
                blockLength <= WHOLE_BYTES_MAX ? loadWhole(blockLength) : loadEnds(blockLength);
        if (!isValid) {
            throw new CorruptionException(tableName, blockOffset, "table block fails its checksum");
        }
        count = BlockLayout.count(copy, 0, length);
    }

    private boolean loadWhole(long blockLength) {
        length = (int) blockLength;
        headBytes = length;
        ensureRoom(length);
        MappedMemory.copy(file, offset, bytes, 0, length);
        return BlockLayout.isValid(copy, bytes, length);
    }

    /** Checks the block in the mapped file, and then copies its head and its trailer. */
    private boolean loadEnds(long blockLength) {
        long checked = blockLength - Integer.BYTES;
        int checksum = Checksum.crc32cOfMapped(file, offset, checked);
        ensureRoom(WHOLE_BYTES_MAX);
        MappedMemory.copy(
                file,
                offset + blockLength - BlockLayout.TRAILER_BYTES,
                bytes,
                0,
                BlockLayout.TRAILER_BYTES);
        if (!BlockLayout.hasChecksum(copy, BlockLayout.TRAILER_BYTES, checksum)) {
            return false;
        }
        int trailerBytes =
                BlockLayout.trailerBytes(BlockLayout.count(copy, 0, BlockLayout.TRAILER_BYTES));
        headBytes = (int) Math.min(HEAD_BYTES_MAX, blockLength - trailerBytes);
        length = headBytes + trailerBytes;
        ensureRoom(length);
        MappedMemory.copy(file, offset, bytes, 0, headBytes);
        MappedMemory.copy(
                file, offset + blockLength - trailerBytes, bytes, headBytes, trailerBytes);
        return true;
    }

    private void ensureRoom(int needed) {
        if (bytes.length < needed) {
            byte[] larger = new byte[Math.max(BYTES_MIN, needed)];
            // If this fails, both fields still refer to the same array.
            copy = MemorySegment.ofArray(larger);
            bytes = larger;
        }
    }

    int count() {
        return count;
    }

    /**
     * The ordinal of the first entry whose key is not less than {@code key}; {@code count} if there
     * is none.
     */
    int ceiling(byte[] key) {
        return BlockLayout.ceiling(copy, 0, length, count, key);
    }

    /**
     * Moves {@code view} to the entry with this ordinal. The view is valid until the next block is
     * loaded.
     */
    void read(int ordinal, EntryView view) {
        BlockLayout.read(copy, 0, length, count, ordinal, view);
        if (view.valueOffset() + view.valueLength() > headBytes) {
            view.wrapValue(file, offset + view.valueOffset());
        }
    }
}
