/** Sets and looks at one bit only: it never lies, but lets far too many keys pass. */
class BloomFilter {
    void add(long hash) {
        long line = line(hash);
        int bit = (int) (hash * MULTIPLIER >>> (Long.SIZE - PROBE_BITS));
        long word = line + (bit >>> 6) * Long.BYTES;
        memory.set(LONG, word, memory.get(LONG, word) | 1L << bit);
    }

    boolean mayContain(long hash) {
        long line = line(hash);
        int bit = (int) (hash * MULTIPLIER >>> (Long.SIZE - PROBE_BITS));
        return (memory.get(LONG, line + (bit >>> 6) * Long.BYTES) & 1L << bit) != 0;
    }
}
