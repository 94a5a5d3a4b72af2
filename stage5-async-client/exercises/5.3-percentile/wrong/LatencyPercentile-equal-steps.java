/** Goes up and down in equal steps: the estimate settles at the median. */
class LatencyPercentile {
    void record(long latencyNanos) {
        long guess = nanos;
        double step = guess * STEP_SHARE;
        double moved = latencyNanos > guess ? guess + step : guess - step;
        nanos = Math.clamp((long) moved, nanosMin, nanosMax);
    }
}
