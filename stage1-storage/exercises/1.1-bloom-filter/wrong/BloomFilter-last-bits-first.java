/** Takes the bits from the least significant end: the filter works as well, but it cannot read a table on the disk. */
class BloomFilter {
    void add(long hash) {
        long line = line(hash);
        long bits = hash * MULTIPLIER;
        for (int i = 0; i < PROBES; i++) {
            int bit = (int) (bits & (1 << PROBE_BITS) - 1);
            long word = line + (bit >>> 6) * Long.BYTES;
            memory.set(LONG, word, memory.get(LONG, word) | 1L << bit);
            bits >>>= PROBE_BITS;
        }
    }

    boolean mayContain(long hash) {
        long line = line(hash);
        long bits = hash * MULTIPLIER;
        for (int i = 0; i < PROBES; i++) {
            int bit = (int) (bits & (1 << PROBE_BITS) - 1);
            if ((memory.get(LONG, line + (bit >>> 6) * Long.BYTES) & 1L << bit) == 0) {
                return false;
            }
            bits >>>= PROBE_BITS;
        }
        return true;
    }
}
