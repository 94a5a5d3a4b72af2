package dht.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TimeoutQueueTest {
    private static final long LONG_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long USUAL_DELAY_NANOS = 1_000;
    private static final long PAUSE_NANOS_MAX = 100;

    private final AtomicLong nowNanos = new AtomicLong(-5_000); // As nanoTime, it may be negative.
    private final AtomicInteger wakes = new AtomicInteger();
    private final TimeoutQueue queue =
            new TimeoutQueue(
                    wakes::incrementAndGet, USUAL_DELAY_NANOS, PAUSE_NANOS_MAX, nowNanos::get);
    private final TimeoutThread thread = new TimeoutThread("test-timeouts");

    @AfterEach
    void end() {
        thread.close();
        assertThat(thread.hasEnded()).isTrue();
    }

    /** Throws each given failure once, and counts the calls. */
    private static final class Counted extends TimeoutQueue.Timeout {
        private final CountDownLatch expired = new CountDownLatch(1);
        private final AtomicInteger times = new AtomicInteger();
        private final List<Error> thrown = new ArrayList<>();
        private volatile boolean over;

        @Override
        protected boolean isOver() {
            return over;
        }

        @Override
        protected void expire() {
            if (!thrown.isEmpty()) {
                throw thrown.removeFirst();
            }
            times.incrementAndGet();
            expired.countDown();
        }
    }

    private void passTime(long nanos) {
        nowNanos.addAndGet(nanos);
        queue.runDue();
    }

    private static void await(Counted timeout) throws InterruptedException {
        assertThat(timeout.expired.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void timeout_atItsDeadline_expiresOnce() {
        Counted timeout = new Counted();
        queue.add(timeout, 100);
        passTime(99);
        assertThat(timeout.times).hasValue(0);
        passTime(1);
        assertThat(timeout.times).hasValue(1);
        passTime(LONG_NANOS);
        assertThat(timeout.times).hasValue(1);
    }

    @Test
    void timeout_thatHasEnded_isForgottenAndHoldsUpNoOther() {
        Counted first = new Counted();
        Counted second = new Counted();
        queue.add(first, 1_000);
        queue.add(second, 1);
        first.over = true;
        passTime(1);
        assertThat(first.times).hasValue(0);
        assertThat(second.times).hasValue(1);
    }

    @Test
    void timeout_dueLaterThanOthers_holdsThemUpForOneTurnAtMost() {
        Counted late = new Counted();
        Counted soon = new Counted();
        queue.add(late, 10 * USUAL_DELAY_NANOS);
        queue.add(soon, 1);
        passTime(USUAL_DELAY_NANOS);
        assertThat(soon.times).hasValue(1);
        assertThat(late.times).hasValue(0);
        passTime(9 * USUAL_DELAY_NANOS - 1);
        assertThat(late.times).hasValue(0);
        passTime(USUAL_DELAY_NANOS);
        assertThat(late.times).hasValue(1);
    }

    @Test
    void timeouts_behindOneThatThrows_expire() {
        Counted throwing = new Counted();
        throwing.thrown.add(new StackOverflowError());
        Counted behind = new Counted();
        queue.add(throwing, 1);
        queue.add(behind, 1);
        passTime(1);
        assertThat(behind.times).hasValue(1);
        passTime(LONG_NANOS);
        assertThat(throwing.times).as("a bug is not tried again").hasValue(0);
    }

    @Test
    void timeout_withoutMemoryToExpire_expiresLater() {
        Counted poor = new Counted();
        poor.thrown.add(new OutOfMemoryError("made by the test"));
        poor.thrown.add(new OutOfMemoryError("made by the test, once more"));
        queue.add(poor, 1);
        passTime(1);
        passTime(PAUSE_NANOS_MAX);
        assertThat(poor.times).hasValue(0);
        passTime(PAUSE_NANOS_MAX);
        assertThat(poor.times).hasValue(1);
    }

    @Test
    void timeout_addedFromItsOwnAction_waitsForTheNextLook() {
        Counted other = new Counted();
        var again =
                new TimeoutQueue.Timeout() {
                    private int times;

                    @Override
                    protected boolean isOver() {
                        return false;
                    }

                    @Override
                    protected void expire() {
                        times++;
                        queue.add(this, 10);
                    }
                };
        queue.add(again, 1);
        queue.add(other, 1);
        passTime(1);
        assertThat(again.times).isEqualTo(1);
        assertThat(other.times).hasValue(1);
        passTime(10);
        assertThat(again.times).isEqualTo(2);
    }

    /** Otherwise it would be in the queue twice: the list would become a ring and lose entries. */
    @Test
    void timeout_addedFromItsOwnActionThatLacksMemory_isInTheQueueOnce() {
        Counted between = new Counted();
        Counted last = new Counted();
        AtomicInteger times = new AtomicInteger();
        var again =
                new TimeoutQueue.Timeout() {
                    @Override
                    protected boolean isOver() {
                        return false;
                    }

                    @Override
                    protected void expire() {
                        if (times.incrementAndGet() == 1) {
                            queue.add(this, 10);
                            queue.add(between, 10);
                            throw new OutOfMemoryError("made by the test");
                        }
                    }
                };
        queue.add(again, 1);
        passTime(1);
        queue.add(last, 10);
        passTime(PAUSE_NANOS_MAX);
        assertThat(between.times).hasValue(1);
        assertThat(last.times).hasValue(1);
        assertThat(times).hasValue(2);
    }

    @Test
    void thread_whenTheQueueIsNoLongerEmpty_isWokenOnce() {
        assertThat(queue.runDue()).as("nothing to do").isEqualTo(Long.MAX_VALUE);
        queue.add(new Counted(), 50);
        queue.add(new Counted(), 500);
        assertThat(wakes).hasValue(1);
        assertThat(queue.runDue()).isEqualTo(50);
        passTime(50);
        assertThat(queue.runDue()).as("no pause is longer").isEqualTo(PAUSE_NANOS_MAX);
        passTime(450);
        assertThat(queue.runDue()).isEqualTo(Long.MAX_VALUE);
        queue.add(new Counted(), 1);
        assertThat(wakes).hasValue(2);
    }

    /** A thread that is woken earlier finds nothing, and sleeps on. */
    @Test
    void thread_whenItIsWoken_findsTheTimeoutInTheQueue() {
        List<Long> pauses = new ArrayList<>();
        AtomicReference<TimeoutQueue> woken = new AtomicReference<>();
        woken.set(
                new TimeoutQueue(
                        () -> pauses.add(woken.get().runDue()),
                        USUAL_DELAY_NANOS,
                        PAUSE_NANOS_MAX,
                        nowNanos::get));
        woken.get().add(new Counted(), 50);
        assertThat(pauses).containsExactly(50L);
    }

    @Test
    void timeouts_ofTwoQueuesOfAThread_expire() throws InterruptedException {
        TimeoutQueue first = thread.queue(LONG_NANOS, LONG_NANOS);
        TimeoutQueue second = thread.queue(USUAL_DELAY_NANOS, PAUSE_NANOS_MAX);
        List<Counted> all = IntStream.range(0, 1000).mapToObj(_ -> new Counted()).toList();
        first.add(new Counted(), LONG_NANOS); // Holds up no other queue.
        for (Counted each : all) {
            second.add(each, 1000);
        }
        for (Counted each : all) {
            await(each);
        }
        assertThat(all).allSatisfy(each -> assertThat(each.times).hasValue(1));
    }

    @Test
    void timeout_afterTheQueueWasEmpty_expires() throws InterruptedException {
        TimeoutQueue ofThread = thread.queue(LONG_NANOS, LONG_NANOS);
        for (int i = 0; i < 200; i++) {
            Counted each = new Counted();
            ofThread.add(each, i % 2);
            await(each);
        }
    }

    /**
     * The thread does not sleep yet when it is woken. It must notice the wake-up before it sleeps.
     */
    @Test
    void timeout_addedBehindTheLookOfTheThread_expires() throws InterruptedException {
        TimeoutQueue lookedAtFirst = thread.queue(LONG_NANOS, LONG_NANOS);
        TimeoutQueue lookedAtSecond = thread.queue(LONG_NANOS, LONG_NANOS);
        Counted behind = new Counted();
        lookedAtSecond.add(
                new TimeoutQueue.Timeout() {
                    @Override
                    protected boolean isOver() {
                        return false;
                    }

                    @Override
                    protected void expire() {
                        lookedAtFirst.add(behind, 0);
                    }
                },
                0);

        await(behind);
    }

    @Test
    void thread_whoseLookThrows_looksAgain() throws InterruptedException {
        TimeoutQueue ofThread = thread.queue(LONG_NANOS, LONG_NANOS);
        CountDownLatch asked = new CountDownLatch(2);
        ofThread.add(
                new TimeoutQueue.Timeout() {
                    @Override
                    protected boolean isOver() {
                        asked.countDown();
                        throw new StackOverflowError();
                    }

                    @Override
                    protected void expire() {
                        throw new AssertionError("it does not say that it is not over");
                    }
                },
                1);
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void add_whenItsThreadHasEnded_throwsNothing() {
        TimeoutQueue ofThread = thread.queue(LONG_NANOS, LONG_NANOS);
        thread.close();
        ofThread.add(new Counted(), 1);
    }
}
