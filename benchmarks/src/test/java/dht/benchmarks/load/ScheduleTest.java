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
    void wait_afterAPause_catchesUpAtTwiceTheRate() {
        completeOne(START);
        long pauseEnd = START + 10 * INTERVAL;

        long now = pauseEnd;
        int sent = 0;
        while (schedule.intendedStartNanos() <= now) {
            now += schedule.waitNanos(now);
            assertThat(now).isEqualTo(pauseEnd + sent * INTERVAL / 2);
            schedule.complete();
            sent++;
        }
        // As many as were due at the end of the pause, and as many again, half of which fell due.
        assertThat(sent).isBetween(19, 21);
    }

    @Test
    void wait_afterCatchingUp_isOnPaceAgain() {
        completeOne(START);
        completeOne(START + 2 * INTERVAL);
        completeOne(START + 2 * INTERVAL + INTERVAL / 2);

        assertThat(schedule.waitNanos(START + 2 * INTERVAL + 60)).isEqualTo(40);
        assertThat(schedule.waitNanos(START + 3 * INTERVAL)).isZero();
    }

    @Test
    void wait_behindAtCatchUpRate_isMeasuredFromTheFirstLateRequest() {
        completeOne(START);
        completeOne(START + 10 * INTERVAL);

        assertThat(schedule.waitNanos(START + 10 * INTERVAL + 10)).isEqualTo(40);
    }

    private void completeOne(long now) {
        assertThat(schedule.waitNanos(now)).isZero();
        schedule.complete();
    }
}
