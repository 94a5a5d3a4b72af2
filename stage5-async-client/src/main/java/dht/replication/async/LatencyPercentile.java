package dht.replication.async;

/**
 * About what share of the latencies of late was below what: a guess that goes up a little for each
 * one above it, and down a little for each one below, so that it rests where the one happens as
 * much as the other. It keeps no latencies. For the 95th percentile it doubles within a dozen that
 * are above, and halves within some two hundred that are below.
 *
 * <p>Thread-safe; where two threads tell at once, one of the little steps may be lost.
 */
final class LatencyPercentile {
    /** Of the guess, for a step up or down at most. */
    private static final double STEP_SHARE = 1.0 / 16;

    private final double share;
    private final long nanosMin;
    private final long nanosMax;
    private volatile long nanos;

    /**
     * @param share such as 0.95
     * @param nanosMin it is never below
     * @param nanosMax it is never above, and is that at first
     */
    LatencyPercentile(double share, long nanosMin, long nanosMax) {
        this.share = share;
        this.nanosMin = nanosMin;
        this.nanosMax = nanosMax;
        this.nanos = nanosMax;
    }

    void record(long latencyNanos) {
        long guess = nanos;
        double step = guess * STEP_SHARE;
        double moved = latencyNanos > guess ? guess + step * share : guess - step * (1 - share);
        nanos = Math.clamp((long) moved, nanosMin, nanosMax);
    }

    long nanos() {
        return nanos;
    }
}
