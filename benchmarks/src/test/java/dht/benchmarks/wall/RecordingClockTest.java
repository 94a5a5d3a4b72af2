package dht.benchmarks.wall;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecordingClockTest {
    private static final long DAY = 1_700_000_000_000_000_000L;
    private static final long PER_SECOND = 2_000_000_000;

    @Test
    void ticksAhead_clocksWithTwoOrigins_isTheirDifference() {
        RecordingClock recorder = new RecordingClock(DAY, 5_000, PER_SECOND);
        RecordingClock profiler =
                new RecordingClock(DAY + 1_000_000_000, 9_000_005_000L + PER_SECOND, PER_SECOND);
        assertThat(profiler.ticksAhead(recorder)).isEqualTo(9_000_000_000L);
        assertThat(recorder.ticksAhead(profiler)).isEqualTo(-9_000_000_000L);
    }

    @Test
    void ticksAhead_oneOrigin_isNothing_whateverTheTimesOfDaySay() {
        RecordingClock recorder = new RecordingClock(DAY, 5_000, PER_SECOND);
        RecordingClock profiler =
                new RecordingClock(DAY + 1_000_300_000, 5_000 + PER_SECOND, PER_SECOND);
        assertThat(profiler.ticksAhead(recorder)).isZero();
    }

    @Test
    void ticks_areThoseOfTheClock() {
        assertThat(new RecordingClock(DAY, 0, PER_SECOND).ticks(1_500)).isEqualTo(3_000);
    }
}
