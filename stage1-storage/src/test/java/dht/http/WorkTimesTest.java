package dht.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkTimesTest {
    private final WorkTimes work = new WorkTimes();
    private final long here = Thread.currentThread().threadId();

    @Test
    void stretch_extendsFromEnterToLeave() {
        work.enter(5);
        work.pass(7);
        work.leave(9);
        assertThat(work).hasToString(here + " 5 9");
    }

    @Test
    void pass_afterLeave_beginsAnotherStretch() {
        work.enter(0);
        work.leave(2);
        work.pass(10);
        work.pass(13);
        assertThat(work).hasToString(here + " 0 2;" + here + " 10 13");
    }

    @Test
    void enterTwice_endsWithTheOuterLeave() {
        work.enter(0);
        work.enter(3); // Another node's answer, while the request is being served.
        work.leave(4);
        work.pass(8);
        work.leave(9);
        work.pass(50);
        assertThat(work).hasToString(here + " 0 9");
    }

    @Test
    void leave_withoutEnter_changesNothing() {
        work.leave(3);
        assertThat(work).hasToString("");
    }

    @Test
    void threads_workAtTheSameTime_haveStretchesOfTheirOwn() throws InterruptedException {
        work.enter(0);
        Thread other =
                new Thread(
                        () -> {
                            work.enter(10);
                            work.leave(30);
                        });
        other.start();
        other.join();
        work.leave(20);
        assertThat(work).hasToString(here + " 0 20;" + other.threadId() + " 10 30");
    }

    @Test
    void stretches_beyondTheLimit_areDropped() {
        for (int i = 0; i <= WorkTimes.STRETCHES_MAX; i++) {
            work.enter(10L * i);
            work.leave(10L * i + 1);
        }
        assertThat(work.toString().split(";"))
                .hasSize(WorkTimes.STRETCHES_MAX)
                .endsWith(here + " 150 151");
    }
}
