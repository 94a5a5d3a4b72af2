package dht.storage.sstable;

import static dht.storage.memory.Layouts.INT;
import static dht.storage.memory.Layouts.LONG;
import static dht.storage.memory.Layouts.SHORT;

import dht.storage.EntryView;
import dht.storage.memory.Bytes;
import dht.storage.memory.Checksum;
import dht.storage.memory.GrowableMemory;
import java.lang.foreign.MemorySegment;

/**
 * A block of an SSTable: entries in key order, the offset of each entry, the number of entries, and
 * a checksum of everything before it. Little-endian.
 *
 * <pre>
 *   block  | entry × count | offset 2B × count | count 2B | checksum 4B |
 *   entry  | keyLength 2B | valueLength 4B | timestampMicros 8B | key | value |
 * </pre>
 *
 * <p>Offsets count from the beginning of the block. valueLength == {@link EntryView#TOMBSTONE}
 * marks a deletion; no value bytes follow. Described in docs/reference/formats.md.
 *
 * <p>Persistent format: do not change.
 */
final class BlockLayout {
    /** No entry of a block begins beyond this offset, so two bytes are enough for an offset. */
    static final int MAX_ENTRY_OFFSET = 0xffff;

    static final int TRAILER_BYTES = Short.BYTES + Integer.BYTES;

    private static final int VALUE_LENGTH_OFFSET = 2;
    private static final int TIMESTAMP_OFFSET = 6;
    static final int KEY_OFFSET = 14;

    private BlockLayout() {}

    static void appendEntry(GrowableMemory target, EntryView entry) {
        target.appendShort(entry.keyLength());
        target.appendInt(entry.valueLength());
        target.appendLong(entry.timestampMicros());
        target.append(entry.memory(), entry.keyOffset(), entry.keyLength());
        if (!entry.isTombstone()) {
            target.append(entry.valueMemory(), entry.valueOffset(), entry.valueLength());
        }
    }

    static void appendTrailer(GrowableMemory target, long blockOffset, short[] offsets, int count) {
        for (int i = 0; i < count; i++) {
            target.appendShort(offsets[i]);
        }
        target.appendShort(count);
        target.appendInt(
                Checksum.crc32c(target.contents(), blockOffset, target.size() - blockOffset));
    }

    /** Whether the checksum of a copied block is right. */
    static boolean isValid(MemorySegment block, byte[] bytes, int length) {
        return hasChecksum(block, length, Checksum.crc32c(bytes, 0, length - Integer.BYTES));
    }

    /** Whether the block that ends at {@code end} contains this checksum. */
    static boolean hasChecksum(MemorySegment block, long end, int checksum) {
        return block.get(INT, end - Integer.BYTES) == checksum;
    }

    /** The length of the trailer of a block with {@code count} entries. */
    static int trailerBytes(int count) {
        return count * Short.BYTES + TRAILER_BYTES;
    }

    static int count(MemorySegment table, long block, long length) {
        return table.get(SHORT, block + length - TRAILER_BYTES) & 0xffff;
    }

    /** Moves {@code view} to the entry with this ordinal. */
    static void read(
            MemorySegment table, long block, long length, int count, int ordinal, EntryView view) {
        long entry = entry(table, block, length, count, ordinal);
        int keyLength = keyLength(table, entry);
        long key = entry + KEY_OFFSET;
        view.wrap(
                table,
                key,
                keyLength,
                key + keyLength,
                table.get(INT, entry + VALUE_LENGTH_OFFSET),
                table.get(LONG, entry + TIMESTAMP_OFFSET));
    }

    /**
     * Ordinal of the first entry whose key is not less than the given key; {@code count} if there
     * is none.
     */
    static int ceiling(MemorySegment table, long block, long length, int count, byte[] key) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (compare(key, table, entry(table, block, length, count, middle)) > 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static int compare(byte[] key, MemorySegment table, long entry) {
        return Bytes.compare(key, table, entry + KEY_OFFSET, keyLength(table, entry));
    }

    private static int keyLength(MemorySegment table, long entry) {
        return table.get(SHORT, entry) & 0xffff;
    }

    private static long entry(
            MemorySegment table, long block, long length, int count, int ordinal) {
        long offsets = block + length - TRAILER_BYTES - (long) count * Short.BYTES;
        return block + (table.get(SHORT, offsets + (long) ordinal * Short.BYTES) & 0xffff);
    }
}
