/** Uses a moving average as if it were a percentile. */
class LatencyPercentile {
    void record(long latencyNanos) {
        double moved = nanos + (latencyNanos - nanos) * STEP_SHARE;
        nanos = Math.clamp((long) moved, nanosMin, nanosMax);
    }
}
