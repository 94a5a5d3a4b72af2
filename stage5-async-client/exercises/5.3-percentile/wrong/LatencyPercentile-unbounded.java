/** Forgets the bounds: near 0 the steps become 0, and the estimate stays there. */
class LatencyPercentile {
    void record(long latencyNanos) {
        long guess = nanos;
        double step = guess * STEP_SHARE;
        nanos = (long) (latencyNanos > guess ? guess + step * share : guess - step * (1 - share));
    }
}
