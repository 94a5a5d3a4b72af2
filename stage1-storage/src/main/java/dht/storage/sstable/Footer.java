package dht.storage.sstable;

import static dht.storage.memory.Layouts.INT;
import static dht.storage.memory.Layouts.LONG;

import dht.storage.CorruptionException;
import dht.storage.memory.Bytes;
import dht.storage.memory.Checksum;
import dht.storage.memory.GrowableMemory;
import dht.storage.memory.MappedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The end of an SSTable file: what the table contains, and where its parts are. Little-endian.
 *
 * <pre>
 *   file    | block × n | filter | index | footer 96B |
 *   footer
 *     0   | tableNumber 8B | entryCount 8B | tombstoneCount 8B | dataBytes 8B |
 *     32  | leastTimestampMicros 8B | greatestTimestampMicros 8B |
 *     48  | filterOffset 8B | indexOffset 8B |
 *     64  | filterChecksum 4B | indexChecksum 4B | zeros 8B |
 *     80  | version 4B | checksum 4B | magic 8B |
 * </pre>
 *
 * <p>The checksum of the footer covers its first 84 bytes. Described in docs/reference/formats.md.
 *
 * <p>Persistent format: do not change.
 *
 * @param dataBytes bytes of keys and values, without any overhead
 * @param filterOffset where the blocks end and the Bloom filter begins
 * @param indexOffset where the filter ends and the sparse index begins
 */
record Footer(
        long tableNumber,
        long entryCount,
        long tombstoneCount,
        long dataBytes,
        long leastTimestampMicros,
        long greatestTimestampMicros,
        long filterOffset,
        long indexOffset,
        int filterChecksum,
        int indexChecksum) {
    static final int BYTES = 96;

    private static final long MAGIC = 0x31_5453_5354_4844L; // "DHTSST1"
    private static final int VERSION = 1;

    private static final int NUMBER_OFFSET = 0;
    private static final int ENTRY_COUNT_OFFSET = 8;
    private static final int TOMBSTONE_COUNT_OFFSET = 16;
    private static final int DATA_BYTES_OFFSET = 24;
    private static final int LEAST_TIMESTAMP_OFFSET = 32;
    private static final int GREATEST_TIMESTAMP_OFFSET = 40;
    private static final int FILTER_OFFSET = 48;
    private static final int INDEX_OFFSET = 56;
    private static final int FILTER_CHECKSUM_OFFSET = 64;
    private static final int INDEX_CHECKSUM_OFFSET = 68;
    private static final int VERSION_OFFSET = 80;
    private static final int CHECKSUM_OFFSET = 84; // The checksum covers all bytes before it.
    private static final int MAGIC_OFFSET = 88;

    void appendTo(GrowableMemory target) {
        long start = target.size();
        target.appendLong(tableNumber);
        target.appendLong(entryCount);
        target.appendLong(tombstoneCount);
        target.appendLong(dataBytes);
        target.appendLong(leastTimestampMicros);
        target.appendLong(greatestTimestampMicros);
        target.appendLong(filterOffset);
        target.appendLong(indexOffset);
        target.appendInt(filterChecksum);
        target.appendInt(indexChecksum);
        target.appendLong(0);
        target.appendInt(VERSION);
        target.appendInt(Checksum.crc32c(target.contents(), start, CHECKSUM_OFFSET));
        target.appendLong(MAGIC);
    }

    /**
     * Reads and checks the footer of a table file.
     *
     * @throws CorruptionException if it is damaged, or belongs to another table
     */
    static Footer read(MemorySegment table, long tableNumber, String name) {
        long start = table.byteSize() - BYTES;
        if (start < 0) {
            throw new CorruptionException(
                    name, 0, "file is too short for a table: bytes=" + table.byteSize());
        }
        byte[] bytes = Bytes.copy(table, start, BYTES);
        MemorySegment copy = MemorySegment.ofArray(bytes);
        if (copy.get(LONG, MAGIC_OFFSET) != MAGIC) {
            throw new CorruptionException(
                    name, start + MAGIC_OFFSET, "the end of the file is not the end of a table");
        }
        CorruptionException.checkVersion(
                name, start + VERSION_OFFSET, copy.get(INT, VERSION_OFFSET), VERSION);
        if (copy.get(INT, CHECKSUM_OFFSET) != Checksum.crc32c(bytes, 0, CHECKSUM_OFFSET)) {
            throw new CorruptionException(name, start, "table footer fails its checksum");
        }
        Footer footer = parse(copy);
        if (footer.tableNumber != tableNumber) {
            throw new CorruptionException(
                    name, start, "footer belongs to table number=" + footer.tableNumber);
        }
        return footer;
    }

    private static Footer parse(MemorySegment footer) {
        return new Footer(
                footer.get(LONG, NUMBER_OFFSET),
                footer.get(LONG, ENTRY_COUNT_OFFSET),
                footer.get(LONG, TOMBSTONE_COUNT_OFFSET),
                footer.get(LONG, DATA_BYTES_OFFSET),
                footer.get(LONG, LEAST_TIMESTAMP_OFFSET),
                footer.get(LONG, GREATEST_TIMESTAMP_OFFSET),
                footer.get(LONG, FILTER_OFFSET),
                footer.get(LONG, INDEX_OFFSET),
                footer.get(INT, FILTER_CHECKSUM_OFFSET),
                footer.get(INT, INDEX_CHECKSUM_OFFSET));
    }

    /**
     * A checked copy of filter and index.
     *
     * @throws CorruptionException if one of them is damaged, or cannot be read
     */
    MemorySegment copyMetadata(MemorySegment table, String name, Arena arena) {
        long end = table.byteSize() - BYTES;
        if (filterOffset < 0 || filterOffset > indexOffset || indexOffset > end) {
            throw new CorruptionException(name, end, "the footer names positions outside the file");
        }
        MemorySegment copy = arena.allocate(end - filterOffset, 64);
        MappedMemory.copy(table, filterOffset, copy, 0, end - filterOffset);
        long filterLength = indexOffset - filterOffset;
        if (Checksum.crc32c(copy, 0, filterLength) != filterChecksum) {
            throw new CorruptionException(name, filterOffset, "Bloom filter fails its checksum");
        }
        if (Checksum.crc32c(copy, filterLength, end - indexOffset) != indexChecksum) {
            throw new CorruptionException(name, indexOffset, "sparse index fails its checksum");
        }
        return copy;
    }
}
