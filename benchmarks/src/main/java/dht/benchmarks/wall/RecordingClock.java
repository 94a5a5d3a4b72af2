package dht.benchmarks.wall;

import one.jfr.JfrReader;

/**
 * The clock of a recording's ticks, as the beginning of the recording describes it. Immutable.
 *
 * @param startNanos the time of day at the beginning, since 1970
 * @param startTicks the ticks at the same moment
 */
record RecordingClock(long startNanos, long startTicks, long ticksPerSecond) {
    private static final double NANOS_PER_S = 1e9;

    /** Closer together, the two origins are one: what they differ by is an error of the times. */
    private static final long SAME_ORIGIN_NANOS = 10_000_000;

    /** Clocks that are compared must be asked for before anything is read. */
    static RecordingClock of(JfrReader jfr) {
        return new RecordingClock(jfr.chunkStartNanos, jfr.chunkStartTicks, jfr.ticksPerSec);
    }

    long ticks(double nanos) {
        return Math.round(nanos * (ticksPerSecond / NANOS_PER_S));
    }

    /**
     * How many more ticks this clock shows at the same moment than the other clock, which counts
     * equally fast in the same JVM. On some machines both count from one origin, on others the
     * flight recorder counts from the start of the JVM and the profiler from the start of the
     * machine.
     */
    long ticksAhead(RecordingClock other) {
        long ahead =
                startTicks - other.startTicks - ticks((double) (startNanos - other.startNanos));
        return Math.abs(ahead) < ticks(SAME_ORIGIN_NANOS) ? 0 : ahead;
    }
}
