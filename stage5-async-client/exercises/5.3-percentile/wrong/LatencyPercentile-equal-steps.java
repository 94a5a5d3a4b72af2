/** Up and down by the same step: the guess rests at the median. */
class LatencyPercentile {
    void record(long latencyNanos) {
        long guess = nanos;
        double step = guess * STEP_SHARE;
        double moved = latencyNanos > guess ? guess + step : guess - step;
        nanos = Math.clamp((long) moved, nanosMin, nanosMax);
    }
}
