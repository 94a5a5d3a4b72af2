package dht.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.TimestampClock;
import dht.testkit.concurrent.ClientThreads;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HybridLogicalClockTest {
    private static final Instant NOON = Instant.parse("2026-01-02T12:00:00Z");
    private static final long A_YEAR_LATER = 1_800_000_000_000_000L;
    private static final long NOON_MICROS = NOON.toEpochMilli() * 1000;
    private static final Duration AHEAD_MAX = Duration.ofHours(24);
    private static final long AHEAD_MAX_MICROS = AHEAD_MAX.toMillis() * 1000;

    private volatile Instant now = NOON;
    private final InstantSource timeOfDay = () -> now;
    private final HybridLogicalClock clock = new HybridLogicalClock(timeOfDay, AHEAD_MAX, 0);

    @Test
    void next_undisturbed_isTheTimeOfDay() {
        assertThat(clock.nextMicros()).isEqualTo(NOON_MICROS);
        now = NOON.plusMillis(3);
        assertThat(clock.nextMicros()).isEqualTo(NOON_MICROS + 3000);
        now = NOON.plusNanos(5_002_999);
        assertThat(clock.nextMicros()).isEqualTo(NOON_MICROS + 5002);
    }

    @Test
    void next_timeGoesBack_goesOn() {
        assertThat(clock.nextMicros()).isEqualTo(NOON_MICROS);
        now = NOON.minus(Duration.ofHours(1));
        assertThat(clock.nextMicros()).isEqualTo(NOON_MICROS + 1);
    }

    @Test
    void next_afterStampOfAClockAhead_isPastIt() throws Exception {
        long anHourAhead = NOON_MICROS + Duration.ofHours(1).toMillis() * 1000;
        clock.observe(anHourAhead);

        assertThat(clock.nextMicros()).isEqualTo(anHourAhead + 1);
        now = NOON.plus(Duration.ofHours(2)); // The time of day has caught up.
        assertThat(clock.nextMicros()).isEqualTo(NOON_MICROS + 2 * (anHourAhead - NOON_MICROS));
    }

    @Test
    void next_afterStampOfAClockBehind_isTheTimeOfDay() throws Exception {
        clock.observe(NOON_MICROS - 1);
        assertThat(clock.nextMicros()).isEqualTo(NOON_MICROS);
    }

    @Test
    void next_restartedInThePast_isPastWhatIsStored() {
        HybridLogicalClock restarted =
                new HybridLogicalClock(timeOfDay, AHEAD_MAX, NOON_MICROS + 77);
        assertThat(restarted.nextMicros()).isEqualTo(NOON_MICROS + 78);
    }

    @ParameterizedTest
    @ValueSource(longs = {A_YEAR_LATER, Long.MAX_VALUE - 1, Long.MAX_VALUE})
    void observe_farFuture_isRefusedAndForgotten(long stamp) {
        long before = clock.nextMicros();

        assertThatThrownBy(() -> clock.observe(stamp))
                .isInstanceOf(StampAheadException.class)
                .hasMessageContaining("timestamp=" + stamp)
                .hasMessageContaining("2026-01-02T12:00:00Z");
        assertThat(clock.nextMicros()).isEqualTo(before + 1);
    }

    @Test
    void observe_atTheLimit_isTheLastToBeTaken() throws Exception {
        clock.observe(NOON_MICROS + AHEAD_MAX_MICROS);
        assertThat(clock.nextMicros()).isEqualTo(NOON_MICROS + AHEAD_MAX_MICROS + 1);
        assertThatThrownBy(() -> clock.observe(NOON_MICROS + AHEAD_MAX_MICROS + 2))
                .isInstanceOf(StampAheadException.class);
    }

    @Test
    void observe_knownStampWhenTheTimeOfDayHasGoneBack_isTaken() throws Exception {
        long known = NOON_MICROS + AHEAD_MAX_MICROS;
        clock.observe(known);
        now = NOON.minus(Duration.ofHours(1));
        clock.observe(known);
        assertThat(clock.nextMicros()).isEqualTo(known + 1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void observe_stampOfAnyPast_changesNothing(long stamp) throws Exception {
        clock.observe(stamp);
        assertThat(clock.nextMicros()).isEqualTo(NOON_MICROS);
    }

    @Test
    void isProbablyAccepted_stampOfAnotherNode_holdsForAMinuteAfterIt() throws Exception {
        long aMinuteMicros = Duration.ofMinutes(1).toMillis() * 1000;
        assertThat(clock.isProbablyAccepted(clock.nextMicros())).as("its own").isFalse();

        clock.observe(NOON_MICROS);
        assertThat(clock.isProbablyAccepted(NOON_MICROS + aMinuteMicros)).isTrue();
        assertThat(clock.isProbablyAccepted(NOON_MICROS + aMinuteMicros + 1)).isFalse();
    }

    @Test
    void isProbablyAccepted_stampThatHasMovedTheClock_is() throws Exception {
        clock.observe(NOON_MICROS + AHEAD_MAX_MICROS);
        assertThat(clock.isProbablyAccepted(clock.nextMicros())).isTrue();
    }

    /** So threads seldom write to the memory that they share. */
    @Test
    void isProbablyAccepted_stampsLessThanASecondApart_goesByTheFirst() {
        long aSecondMicros = 1_000_000;
        long aMinuteMicros = 60 * aSecondMicros;
        clock.noteAccepted(NOON_MICROS);
        clock.noteAccepted(NOON_MICROS + aSecondMicros);
        assertThat(clock.isProbablyAccepted(NOON_MICROS + aMinuteMicros + 1)).isFalse();
        clock.noteAccepted(NOON_MICROS + aSecondMicros + 1);
        assertThat(clock.isProbablyAccepted(NOON_MICROS + aMinuteMicros + 1)).isTrue();
    }

    @Test
    void isProbablyAccepted_olderStampOfAnotherNode_takesNothingBack() {
        long aMinuteMicros = Duration.ofMinutes(1).toMillis() * 1000;
        clock.noteAccepted(NOON_MICROS);
        clock.noteAccepted(NOON_MICROS - 2 * aMinuteMicros);
        assertThat(clock.isProbablyAccepted(NOON_MICROS + aMinuteMicros)).isTrue();
    }

    @Test
    void clock_onDataFromTheFarFuture_saysWhatToDo() {
        assertThatThrownBy(() -> new HybridLogicalClock(timeOfDay, AHEAD_MAX, Long.MAX_VALUE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--clock-ahead-max");
    }

    @Test
    void next_manyThreadsObservingToo_isNeverTheSameNorLess() {
        Set<Long> stamps = ConcurrentHashMap.newKeySet();
        int threads = 8;
        int stampsEach = 3000;
        ClientThreads.run(
                threads,
                Duration.ofSeconds(30),
                _ -> {
                    long last = 0;
                    for (int i = 0; i < stampsEach; i++) {
                        long stamp = clock.nextMicros();
                        assertThat(stamp).isGreaterThan(last);
                        last = stamp + i % 7;
                        clock.observe(last);
                        stamps.add(stamp);
                    }
                });
        assertThat(stamps).hasSize(threads * stampsEach);
    }

    @Test
    void stamps_whileAnotherThreadMovesTheClock_areNeverTheSameNorLess() throws Exception {
        AtomicReads.replay(MovedMeanwhile.class);
    }

    /** After each read of a clock's last stamp, another thread moves the clock. */
    static final class MovedMeanwhile implements Callable<Void> {
        private static final long AHEAD_MICROS = NOON_MICROS + 10;

        private TimestampClock stamps = new TimestampClock(() -> NOON, 0);
        private volatile long mine;
        private volatile long theirs;

        @Override
        public Void call() throws InterruptedException {
            for (int read = 0; isMetByANewStamp(read); read++) {
                assertThat(mine).as("stamps of two threads").isNotEqualTo(theirs);
                assertThat(stamps.nextMicros()).isGreaterThan(Math.max(mine, theirs));
            }
            for (int read = 0; isMetByAnObservedStamp(read, this::next); read++) {
                assertThat(stamps.nextMicros()).isGreaterThan(Math.max(mine, AHEAD_MICROS));
            }
            for (int read = 0; isMetByAnObservedStamp(read, this::advance); read++) {
                assertThat(stamps.nextMicros()).isGreaterThan(AHEAD_MICROS);
            }
            return null;
        }

        private void next() {
            mine = stamps.nextMicros();
        }

        private void advance() {
            stamps.advanceTo(NOON_MICROS + 5);
        }

        private boolean isMetByANewStamp(int read) throws InterruptedException {
            stamps = new TimestampClock(() -> NOON, 0);
            return AtomicReads.after(read, this::next, () -> theirs = stamps.nextMicros());
        }

        private boolean isMetByAnObservedStamp(int read, Runnable step)
                throws InterruptedException {
            stamps = new TimestampClock(() -> NOON, 0);
            return AtomicReads.after(read, step, () -> stamps.advanceTo(AHEAD_MICROS));
        }
    }
}
