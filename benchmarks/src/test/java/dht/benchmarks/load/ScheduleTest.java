package dht.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final long START = 5_000;
    private static final long INTERVAL = 100;

    private final Schedule schedule = new Schedule(START, INTERVAL);

    @Test
    void wait_onPace_lastsUntilTheNextIsDue() {
        assertThat(schedule.waitNanos(START)).isZero();
        schedule.complete();
        assertThat(schedule.waitNanos(START + 30)).isEqualTo(70);
        assertThat(schedule.intendedStartNanos()).isEqualTo(START + INTERVAL);
    }

    @Test
    void intendedStart_whateverHappened_isAMultipleOfTheInterval() {
        Schedule third = new Schedule(START, 100.0 / 3);
        for (int i = 0; i < 3_000_000; i++) {
            third.complete();
        }
        assertThat(third.intendedStartNanos()).isEqualTo(START + 100_000_000);
    }

    @Test
    void wait_afterAPause_isNoneForAllThatFellDueMeanwhile() {
        completeOne(START);
        long pauseEnd = START + 10 * INTERVAL;
        for (int i = 1; i <= 10; i++) {
            assertThat(schedule.intendedStartNanos()).isEqualTo(START + i * INTERVAL);
            completeOne(pauseEnd);
        }
        assertThat(schedule.waitNanos(pauseEnd)).isEqualTo(INTERVAL);
    }

    @Test
    void wait_ifLateFromTheStart_keepsToTwiceTheRate() {
        long now = START + 10 * INTERVAL;
        completeOne(now);
        for (int i = 1; i < 20; i++) {
            now += INTERVAL / 2;
            assertThat(schedule.waitNanos(now - 1)).isEqualTo(1);
            completeOne(now);
        }
        assertThat(schedule.intendedStartNanos()).isEqualTo(now + INTERVAL / 2);
    }

    @Test
    void wait_afterCatchingUp_isOnPaceAgain() {
        completeOne(START);
        completeOne(START + 3 * INTERVAL);
        completeOne(START + 3 * INTERVAL);
        completeOne(START + 3 * INTERVAL);

        assertThat(schedule.waitNanos(START + 3 * INTERVAL)).isEqualTo(INTERVAL);
        completeOne(START + 4 * INTERVAL);
        assertThat(schedule.waitNanos(START + 4 * INTERVAL)).isEqualTo(INTERVAL);
    }

    private void completeOne(long now) {
        assertThat(schedule.waitNanos(now)).isZero();
        schedule.complete();
    }
}
