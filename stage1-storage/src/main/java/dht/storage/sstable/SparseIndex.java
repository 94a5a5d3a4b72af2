package dht.storage.sstable;

import static dht.storage.memory.Layouts.INT;
import static dht.storage.memory.Layouts.LONG;

import dht.storage.memory.Bytes;
import dht.storage.memory.GrowableMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * The beginning of each block of a table, and the first key of each block. Little-endian.
 *
 * <pre>
 *   | count 4B | skip 4B | prefix 8B × count | block 8B × (count + 1) | keyOffset 4B × (count + 2) | keys |
 * </pre>
 *
 * <p>keys: the first key of each block, and then the greatest key of the table. keyOffset: where
 * each of them begins in keys, and where the last one ends. block: where each block begins in the
 * file, and where the last one ends. prefix: eight bytes of a block's first key, after the {@code
 * skip} bytes that all keys of the table share, filled up with zeros. In most cases the prefixes
 * alone decide a search. Described in docs/reference/formats.md.
 *
 * <p>Persistent format: do not change. Any number of threads may read.
 */
final class SparseIndex {
    private static final int HEADER_BYTES = 8;

    /** The greatest keyOffset, an unsigned number of four bytes. */
    static final long KEYS_BYTES_MAX = 0xffff_ffffL;

    private final MemorySegment memory;
    private final int count;
    private final int skip;
    private final long prefixes;
    private final long blocks;
    private final long keyOffsets;
    private final long keys;

    /** An index in {@code memory}, beginning at {@code start}. */
    SparseIndex(MemorySegment memory, long start) {
        this.memory = memory;
        this.count = memory.get(INT, start);
        this.skip = memory.get(INT, start + Integer.BYTES);
        this.prefixes = start + HEADER_BYTES;
        this.blocks = prefixes + (long) count * Long.BYTES;
        this.keyOffsets = blocks + (count + 1L) * Long.BYTES;
        this.keys = keyOffsets + (count + 2L) * Integer.BYTES;
    }

    int blockCount() {
        return count;
    }

    long blockOffset(int block) {
        return memory.get(LONG, blocks + (long) block * Long.BYTES);
    }

    long blockLength(int block) {
        return blockOffset(block + 1) - blockOffset(block);
    }

    byte[] smallestKey() {
        return key(0);
    }

    byte[] greatestKey() {
        return key(count);
    }

    /**
     * The last block whose first key is not greater than the given key. The key must be between the
     * smallest and the greatest key of the table.
     */
    int floor(byte[] key) {
        long prefix = Bytes.prefix(key, skip, key.length);
        int low = 0;
        int high = count - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (beginsAfter(middle, key, prefix)) {
                high = middle - 1;
            } else {
                low = middle;
            }
        }
        return low;
    }

    private boolean beginsAfter(int block, byte[] key, long prefix) {
        int order =
                Long.compareUnsigned(
                        memory.get(LONG, prefixes + (long) block * Long.BYTES), prefix);
        return order == 0
                ? Bytes.compare(
                                key,
                                memory,
                                keyStart(block),
                                (int) (keyStart(block + 1) - keyStart(block)))
                        < 0
                : order > 0;
    }

    /** The first key of a block; for the number of blocks, the greatest key of the table. */
    byte[] key(int ordinal) {
        long start = keyStart(ordinal);
        return Bytes.copy(memory, start, (int) (keyStart(ordinal + 1) - start));
    }

    private long keyStart(int ordinal) {
        return keys + (memory.get(INT, keyOffsets + (long) ordinal * Integer.BYTES) & 0xffff_ffffL);
    }

    /** Collects an index while its table is written. Used by one thread. */
    static final class Builder implements AutoCloseable {
        private final GrowableMemory blocks = new GrowableMemory(4096);
        private final GrowableMemory keyOffsets = new GrowableMemory(4096);
        private final GrowableMemory keys = new GrowableMemory(4096);
        private final long keysBytesMax;

        Builder() {
            this(KEYS_BYTES_MAX);
        }

        /** For tests, which cannot wait for four gigabytes of keys. */
        Builder(long keysBytesMax) {
            this.keysBytesMax = keysBytesMax;
        }

        /**
         * Adds a block.
         *
         * @throws IOException if an index cannot hold the keys of all blocks
         */
        void addBlock(long offset, byte[] firstKey, int firstKeyLength) throws IOException {
            if (keys.size() + firstKeyLength > keysBytesMax) {
                throw new IOException(
                        "table has too many blocks: bytes of their first keys would exceed max="
                                + keysBytesMax
                                + ": use a greater block size");
            }
            blocks.appendLong(offset);
            keyOffsets.appendInt((int) keys.size());
            keys.append(MemorySegment.ofArray(firstKey), 0, firstKeyLength);
        }

        /** Appends the index to {@code target}. */
        void finish(long endOfBlocks, byte[] greatestKey, GrowableMemory target)
                throws IOException {
            int count = (int) (blocks.size() / Long.BYTES);
            addBlock(endOfBlocks, greatestKey, greatestKey.length);
            keyOffsets.appendInt((int) keys.size());
            int skip = Bytes.commonPrefixLength(key(0), greatestKey);
            target.appendInt(count);
            target.appendInt(skip);
            for (int block = 0; block < count; block++) {
                byte[] key = key(block);
                target.appendLong(Bytes.prefix(key, skip, key.length));
            }
            for (GrowableMemory part : new GrowableMemory[] {blocks, keyOffsets, keys}) {
                target.append(part.contents(), 0, part.size());
            }
        }

        private byte[] key(int ordinal) {
            MemorySegment offsets = keyOffsets.contents();
            long start = offsets.get(INT, (long) ordinal * Integer.BYTES) & 0xffff_ffffL;
            long end = offsets.get(INT, (ordinal + 1L) * Integer.BYTES) & 0xffff_ffffL;
            return Bytes.copy(keys.contents(), start, (int) (end - start));
        }

        @Override
        public void close() {
            blocks.close();
            keyOffsets.close();
            keys.close();
        }
    }
}
