/** Goes up in small steps and down in large ones: the estimate settles at the 5th percentile. */
class LatencyPercentile {
    void record(long latencyNanos) {
        long guess = nanos;
        double step = guess * STEP_SHARE;
        double moved = latencyNanos > guess ? guess + step * (1 - share) : guess - step * share;
        nanos = Math.clamp((long) moved, nanosMin, nanosMax);
    }
}
