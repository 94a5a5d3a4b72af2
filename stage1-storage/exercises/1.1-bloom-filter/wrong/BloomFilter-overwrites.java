/** Writes the bit over what was in the word: the bits of earlier keys are lost. */
class BloomFilter {
    void add(long hash) {
        long line = line(hash);
        long bits = hash * MULTIPLIER;
        for (int i = 0; i < PROBES; i++) {
            int bit = (int) (bits >>> (Long.SIZE - PROBE_BITS));
            memory.set(LONG, line + (bit >>> 6) * Long.BYTES, 1L << bit);
            bits <<= PROBE_BITS;
        }
    }
}
