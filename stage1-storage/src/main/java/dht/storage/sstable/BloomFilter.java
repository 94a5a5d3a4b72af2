package dht.storage.sstable;

import static dht.storage.memory.Layouts.LONG;

import java.lang.foreign.MemorySegment;

/**
 * Says that a key is certainly not in a table, or that it may be. This is a blocked Bloom filter:
 * all bits of a key are in one line of 64 bytes, so a check costs one cache miss.
 *
 * <pre>
 *   filter  | line 64B × lines |
 *   line    = hash × lines / 2^64
 *   bits    = six groups of nine bits of hash × 0x9E3779B97F4A7C15, from the most significant bit on
 * </pre>
 *
 * <p>With 10 bits for each key, about 1.0 % of absent keys pass. After F. Putze, P. Sanders, J.
 * Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", 2007. Described in
 * docs/reference/formats.md.
 *
 * <p>Persistent format: do not change. Any number of threads may check keys; only one thread may
 * add keys.
 */
final class BloomFilter {
    private static final int LINE_BYTES = 64;
    private static final int PROBES = 6;
    private static final int PROBE_BITS = 9; // A line has 2^9 bits.
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private final MemorySegment memory;
    private final long start;
    private final long lines;

    /** A filter over {@code length} bytes of memory, a multiple of 64. */
    BloomFilter(MemorySegment memory, long start, long length) {
        this.memory = memory;
        this.start = start;
        this.lines = length / LINE_BYTES;
    }

    /** The size of a filter for so many keys: a multiple of 64. */
    static long bytes(long keyCount, int bitsPerKey) {
        long bits = Math.max(1, keyCount) * bitsPerKey;
        return (bits + LINE_BYTES * Byte.SIZE - 1) / (LINE_BYTES * Byte.SIZE) * LINE_BYTES;
    }

    void add(long hash) {
        long line = line(hash);
        long bits = hash * MULTIPLIER;
        for (int i = 0; i < PROBES; i++) {
            int bit = (int) (bits >>> (Long.SIZE - PROBE_BITS));
            long word = line + (bit >>> 6) * Long.BYTES;
            long inWord = 1L << bit; // Java shifts a long by bit mod 64.
            memory.set(LONG, word, memory.get(LONG, word) | inWord);
            bits <<= PROBE_BITS;
        }
    }

    boolean mayContain(long hash) {
        long line = line(hash);
        long bits = hash * MULTIPLIER;
        for (int i = 0; i < PROBES; i++) {
            int bit = (int) (bits >>> (Long.SIZE - PROBE_BITS));
            if ((memory.get(LONG, line + (bit >>> 6) * Long.BYTES) & 1L << bit) == 0) {
                return false;
            }
            bits <<= PROBE_BITS;
        }
        return true;
    }

    private long line(long hash) {
        return start + Math.unsignedMultiplyHigh(hash, lines) * LINE_BYTES;
    }

    /**
     * Share of absent keys that pass, from 0 to 1. It is computed from the number of bits that are
     * set in each line.
     */
    double falsePositiveRate() {
        double sum = 0;
        for (long line = 0; line < lines; line++) {
            int ones = 0;
            for (int word = 0; word < LINE_BYTES; word += Long.BYTES) {
                ones += Long.bitCount(memory.get(LONG, start + line * LINE_BYTES + word));
            }
            sum += Math.pow(ones / (double) (LINE_BYTES * Byte.SIZE), PROBES);
        }
        return sum / lines;
    }
}
