package dht.replication.async;

/**
 * Estimates a percentile of recent latencies, without storing latencies. The estimate goes up by
 * one step for each latency above it, and down by one step for each latency below it. For the 95th
 * percentile a step up is 19 times as large as a step down. So the estimate is stable when 1 of 20
 * latencies is above it. It doubles after about 12 latencies in a row above it, and halves after
 * about 220 in a row below it. This is similar to frugal streaming (Ma et al., "Frugal Streaming
 * for Estimating Quantiles", 2013).
 *
 * <p>Thread-safe. If two threads record at once, one of the two steps may be lost.
 */
final class LatencyPercentile {
    /** The largest step, as a share of the estimate. */
    private static final double STEP_SHARE = 1.0 / 16;

    private final double share;
    private final long nanosMin;
    private final long nanosMax;
    private volatile long nanos;

    /**
     * @param share such as 0.95
     * @param nanosMin the smallest estimate
     * @param nanosMax the largest estimate, which is also the first one
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
