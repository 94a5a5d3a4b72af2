/** Is content with one bit of the six, as if it were enough that the key may be there. */
class BloomFilter {
    boolean mayContain(long hash) {
        long line = line(hash);
        long bits = hash * MULTIPLIER;
        for (int i = 0; i < PROBES; i++) {
            int bit = (int) (bits >>> (Long.SIZE - PROBE_BITS));
            if ((memory.get(LONG, line + (bit >>> 6) * Long.BYTES) & 1L << bit) != 0) {
                return true;
            }
            bits <<= PROBE_BITS;
        }
        return false;
    }
}
