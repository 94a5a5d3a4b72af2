/** Forgets the bounds: a guess near 0 has steps of 0, and stays there. */
class LatencyPercentile {
    void record(long latencyNanos) {
        long guess = nanos;
        double step = guess * STEP_SHARE;
        nanos = (long) (latencyNanos > guess ? guess + step * share : guess - step * (1 - share));
    }
}
