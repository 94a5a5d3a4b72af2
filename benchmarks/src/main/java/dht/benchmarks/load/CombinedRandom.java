package dht.benchmarks.load;

/**
 * Pseudo-random numbers that scripts compute too: two multiplicative congruential generators
 * combined, period 2.3 · 10^18. All products stay below 2^53, so doubles hold them exactly.
 *
 * <p>P. L'Ecuyer, Efficient and portable combined random number generators, Communications of the
 * ACM 31 (6), 1988. The same in {@code scripts/load/workload.lua}; described in
 * docs/reference/load.md.
 *
 * <p>Not thread-safe.
 */
final class CombinedRandom {
    private static final long MODULUS_1 = 2147483563;
    private static final long MODULUS_2 = 2147483399;
    private static final long FACTOR_1 = 40014;
    private static final long FACTOR_2 = 40692;

    /** Similar seeds begin with similar numbers. */
    private static final int SKIPPED = 16;

    private static final long STREAM_STEP = 7919;

    private long state1;
    private long state2;

    /**
     * @param seed 0 to 2^31 − 1
     * @param stream 0 to 2^24: each stream of a seed is another sequence
     */
    CombinedRandom(long seed, long stream) {
        this.state1 = 1 + (seed + stream * STREAM_STEP) % (MODULUS_1 - 1);
        this.state2 = 1 + (seed + (stream + 1) * STREAM_STEP) % (MODULUS_2 - 1);
        for (int i = 0; i < SKIPPED; i++) {
            next();
        }
    }

    /** A number between 0 and 1, both excluded, one of some 2^31. */
    double next() {
        state1 = FACTOR_1 * state1 % MODULUS_1;
        state2 = FACTOR_2 * state2 % MODULUS_2;
        long difference = state1 - state2;
        return (double) (difference < 1 ? difference + MODULUS_1 - 1 : difference) / MODULUS_1;
    }
}
