package dht.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.concurrent.ClientThreads;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class TimestampClockTest {
    private static final int THREADS = 8;
    private static final int STAMPS = 5000;

    private long nowMicros = 1_000_000;
    private final InstantSource source =
            () -> Instant.ofEpochSecond(0, 1000 * nowMicros + 999); // Nanoseconds are cut off.
    private final TimestampClock clock = new TimestampClock(source, 0);

    @Test
    void next_timeGoesOn_isTheTimeOfDay() {
        assertThat(clock.nextMicros()).isEqualTo(1_000_000);
        nowMicros = 2_500_001;
        assertThat(clock.nextMicros()).isEqualTo(2_500_001);
    }

    @Test
    void next_timeStandsStill_isGreaterByOne() {
        assertThat(clock.nextMicros()).isEqualTo(1_000_000);
        assertThat(clock.nextMicros()).isEqualTo(1_000_001);
        assertThat(clock.nextMicros()).isEqualTo(1_000_002);
    }

    @Test
    void next_timeGoesBack_goesOnFromTheLast() {
        assertThat(clock.nextMicros()).isEqualTo(1_000_000);
        nowMicros = 10;
        assertThat(clock.nextMicros()).isEqualTo(1_000_001);
        nowMicros = 1_000_001; // It was given out already.
        assertThat(clock.nextMicros()).isEqualTo(1_000_002);
        nowMicros = 1_000_010;
        assertThat(clock.nextMicros()).isEqualTo(1_000_010);
    }

    @Test
    void next_restartedInThePast_isAboveTheGreatestStamp() {
        TimestampClock restarted = new TimestampClock(source, 7_000_000);

        assertThat(restarted.nextMicros()).isEqualTo(7_000_001);
        nowMicros = 8_000_000;
        assertThat(restarted.nextMicros()).isEqualTo(8_000_000);
    }

    @Test
    void next_advancedByAnother_isGreater() {
        clock.advanceTo(7_000_000);
        assertThat(clock.lastMicros()).isEqualTo(7_000_000);
        assertThat(clock.nextMicros()).isEqualTo(7_000_001);
    }

    @Test
    void advance_toThePast_changesNothing() {
        assertThat(clock.nextMicros()).isEqualTo(1_000_000);
        clock.advanceTo(999_999);
        assertThat(clock.lastMicros()).isEqualTo(1_000_000);
        assertThat(clock.nextMicros()).isEqualTo(1_000_001);
    }

    @Test
    void next_timeOfDay_isInMicroseconds() {
        TimestampClock system =
                new TimestampClock(() -> Instant.parse("2026-01-02T03:04:05.678901234Z"), 0);

        assertThat(system.nextMicros()).isEqualTo(1_767_323_045_678_901L);
    }

    @Test
    void next_manyThreads_isNeverTheSameNorLess() {
        Set<Long> stamps = ConcurrentHashMap.newKeySet();
        ClientThreads.run(
                THREADS,
                Duration.ofSeconds(30),
                _ -> {
                    long last = 0;
                    for (int i = 0; i < STAMPS; i++) {
                        long stamp = clock.nextMicros();
                        assertThat(stamp).isGreaterThan(last);
                        last = stamp;
                        stamps.add(stamp);
                    }
                });

        assertThat(stamps).hasSize(THREADS * STAMPS);
    }
}
