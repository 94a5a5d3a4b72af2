package dht.execution;

import static java.lang.Thread.State.TIMED_WAITING;
import static java.lang.Thread.State.WAITING;
import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.concurrent.Deadline;
import dht.testkit.junit.CapturedErr;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/**
 * One worker and one source of tasks. In the steps of the source, a test inserts what other threads
 * do at that moment.
 */
@Timeout(60)
@ResourceLock(Resources.SYSTEM_ERR)
class WorkerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Tells no more than how many tasks there are. */
    private static final class ScriptedSource implements Worker.Source {
        private final AtomicInteger waiting = new AtomicInteger();
        private final AtomicInteger done = new AtomicInteger();
        private final List<Boolean> looks = new CopyOnWriteArrayList<>();
        private volatile boolean stopping;
        private volatile Thread worker;
        private volatile Runnable duringTask = () -> {};

        /** What others do once, after the worker has found nothing and before it sleeps. */
        private volatile Runnable afterNothingFound = () -> {};

        /** What others do once, just after the worker has seen that there is no work. */
        private volatile Runnable afterNoWorkSeen = () -> {};

        @Override
        public boolean runNext(boolean resumedFirst) {
            worker = Thread.currentThread();
            looks.add(resumedFirst);
            if (waiting.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
                duringTask.run();
                done.incrementAndGet();
                return true;
            }
            Runnable others = afterNothingFound;
            afterNothingFound = () -> {};
            others.run();
            return false;
        }

        @Override
        public boolean hasWork() {
            boolean seen = waiting.get() > 0;
            if (!seen) {
                Runnable others = afterNoWorkSeen;
                afterNoWorkSeen = () -> {};
                others.run();
            }
            return seen;
        }

        @Override
        public boolean isStopping() {
            return stopping;
        }
    }

    @RegisterExtension private final CapturedErr log = new CapturedErr();
    private final ScriptedSource source = new ScriptedSource();
    private final Worker worker =
            new Worker("scripted-worker", source, Thread.ofPlatform().factory());

    @AfterEach
    void end() {
        source.stopping = true;
        worker.wake();
        worker.awaitEnd(System.nanoTime() + PATIENCE.toNanos());
        assertThat(worker.isAlive()).isFalse();
    }

    private boolean sleeps() {
        Thread thread = source.worker;
        return thread != null && LockSupport.getBlocker(thread) == source;
    }

    private boolean isDoneOrSleptOver() {
        return source.done.get() > 0 || sleeps() || !worker.isAlive();
    }

    private void awaitSleep() {
        Deadline.in(PATIENCE)
                .await("the worker sleeps, or has ended", () -> sleeps() || !worker.isAlive());
        assertThat(worker.isAlive()).isTrue();
    }

    /** The worker is awake still, so nobody wakes it: it has to look once more by itself. */
    @Test
    void sleep_taskBroughtAfterTheLastLook_isDone() {
        source.afterNothingFound =
                () -> {
                    source.waiting.incrementAndGet();
                    assertThat(worker.wake()).isFalse();
                };
        worker.start();

        Deadline.in(PATIENCE).await("it is done, or slept over", this::isDoneOrSleptOver);
        assertThat(source.done).hasValue(1);
    }

    /** The worker has said that it sleeps, so it is woken, though it does not sleep yet. */
    @Test
    void sleep_taskBroughtDuringTheLastLook_isDone() {
        source.afterNoWorkSeen =
                () -> {
                    source.waiting.incrementAndGet();
                    worker.wake();
                };
        worker.start();

        Deadline.in(PATIENCE).await("it is done, or slept over", this::isDoneOrSleptOver);
        assertThat(source.done).hasValue(1);
    }

    /**
     * If it said that it sleeps, the next task would wake this busy worker, and not one that
     * sleeps.
     */
    @Test
    void sleep_taskFoundAtTheLastLook_isDoneAwake() {
        AtomicBoolean awake = new AtomicBoolean();
        source.duringTask = () -> awake.set(worker.isAwake());
        source.afterNothingFound = source.waiting::incrementAndGet;
        worker.start();

        Deadline.in(PATIENCE).await("it is done, or slept over", this::isDoneOrSleptOver);
        assertThat(source.done).hasValue(1);
        assertThat(awake).isTrue();
    }

    @Test
    void sleep_stopAfterTheLastLook_ends() {
        source.afterNothingFound =
                () -> {
                    source.stopping = true;
                    assertThat(worker.wake()).isFalse();
                };
        worker.start();

        Deadline.in(PATIENCE).await("it has ended, or sleeps", () -> !worker.isAlive() || sleeps());
        assertThat(worker.isAlive()).isFalse();
        assertThat(worker.isAwake()).isFalse();
    }

    /** If it asked for the stop after its last look, it would end without this task. */
    @Test
    void work_taskBroughtBeforeTheStop_isDoneBeforeItEnds() {
        source.afterNothingFound =
                () -> {
                    source.waiting.incrementAndGet();
                    source.stopping = true;
                };
        worker.start();
        worker.awaitEnd(System.nanoTime() + PATIENCE.toNanos());

        assertThat(worker.isAlive()).isFalse();
        assertThat(source.done).hasValue(1);
    }

    @Test
    void sleep_nothingToDo_lastsUntilItIsWoken() {
        worker.start();
        awaitSleep();
        assertThat(worker.isAwake()).isFalse();
        assertThat(source.looks).hasSize(1);

        LockSupport.unpark(source.worker); // By nobody's wish, as may happen.
        awaitSleep();
        assertThat(source.looks).hasSize(1);

        source.waiting.set(1);
        assertThat(worker.wake()).isTrue();
        Deadline.in(PATIENCE).await("it is done", () -> source.done.get() == 1);
        awaitSleep();
        assertThat(source.looks).hasSize(3);
    }

    /** A worker that looks at its flag from time to time would take processor time for ever. */
    @Test
    void sleep_nothingToDo_waitsWithoutATimeout() {
        worker.start();
        awaitSleep();
        Deadline.in(PATIENCE).await("the worker waits", () -> waits(source.worker));

        assertThat(source.worker.getState()).isEqualTo(WAITING);
    }

    private static boolean waits(Thread thread) {
        return thread.getState() == WAITING || thread.getState() == TIMED_WAITING;
    }

    /**
     * A worker without tasks, and another thread that wakes it again and again. In each round, the
     * worker announces its sleep, and {@link #wakeToo} wakes it a little later, by another time
     * than in the round before. The worker is hardly ever parked, so a round takes about a
     * microsecond.
     */
    private static final class WokenWorker implements Worker.Source {
        private static final int DELAYS = 16;
        private static final int ROUNDS_MAX = 200_000;
        private static final Duration TIME_MAX = Duration.ofSeconds(3);

        private final boolean wakesItself;
        private final TwoThreads threads = new TwoThreads();
        private final AtomicInteger trueCount = new AtomicInteger();
        private final Worker worker =
                new Worker("woken", this, Thread.ofPlatform().daemon().factory());
        private volatile int looks;
        private volatile int otherCalls;
        private volatile boolean stopping;

        private WokenWorker(boolean wakesItself) {
            this.wakesItself = wakesItself;
        }

        /**
         * Runs many rounds, and checks that one call of {@code wake} a round was true. Two threads
         * on the same processor do only a few rounds, so more pairs of threads follow.
         *
         * @param wakesItself whether the worker calls {@code wake}, too, at the same time
         */
        static void check(boolean wakesItself) {
            Deadline end = Deadline.in(TIME_MAX);
            for (int rounds = 0; rounds < ROUNDS_MAX && !end.passed(); ) {
                rounds += new WokenWorker(wakesItself).check();
            }
        }

        private int check() {
            long endNanos = System.nanoTime() + TwoThreads.NANOS_MAX;
            worker.start();
            int rounds = 0;
            try {
                while (!stopping) {
                    wakeToo(++rounds, System.nanoTime() > endNanos);
                }
            } finally {
                stopping = true;
            }
            worker.awaitEnd(System.nanoTime() + PATIENCE.toNanos());

            assertThat(worker.isAlive()).isFalse();
            assertThat(trueCount)
                    .as("calls that returned true, in %d rounds", rounds)
                    .hasValue(rounds);
            return rounds;
        }

        @Override
        public boolean runNext(boolean resumedFirst) {
            threads.spinUntil(() -> otherCalls == looks || stopping);
            return false;
        }

        /** Begins a round, if this is the look after the worker has announced its sleep. */
        @Override
        public boolean hasWork() {
            if (!worker.isAwake() && !stopping) {
                looks++; // By this thread only.
                if (wakesItself) {
                    delay(looks / DELAYS);
                    wake();
                }
            }
            return false;
        }

        private void wakeToo(int round, boolean isLast) {
            threads.spinUntil(() -> looks == round);
            delay(round);
            wake();
            stopping = isLast;
            otherCalls = round;
        }

        private static void delay(int round) {
            for (int delay = round % DELAYS; delay > 0; delay--) {
                Thread.onSpinWait();
            }
        }

        private void wake() {
            if (worker.wake()) {
                trueCount.incrementAndGet();
            }
        }

        @Override
        public boolean isStopping() {
            return stopping;
        }
    }

    /** The worker must not sleep on, whatever it does at the moment when it is woken. */
    @Test
    void wake_whileTheWorkerFallsAsleep_isNeverLost() {
        WokenWorker.check(false);
    }

    /** Each has a task. If both believed that the worker takes theirs, one task would wait. */
    @Test
    void wake_byTwoThreadsAtOnce_isTrueForOneOfThem() {
        WokenWorker.check(true);
    }

    @Test
    void wake_busyWorker_doesNothing() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        source.duringTask =
                () -> {
                    begun.countDown();
                    awaitQuietly(end);
                };
        source.waiting.set(1);
        worker.start();
        begun.await();

        boolean isAwake = worker.isAwake();
        boolean isWoken = worker.wake();
        end.countDown();

        assertThat(isAwake).isTrue();
        assertThat(isWoken).isFalse();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void work_taskThatThrows_looksForTheNextAtOnce() {
        source.duringTask =
                () -> {
                    throw new IllegalStateException("made by the test");
                };
        source.waiting.set(1);
        worker.start();
        awaitSleep();

        assertThat(source.looks).hasSize(2);
        assertThat(log.toString()).containsOnlyOnce("a task failed");
    }

    @Test
    void work_taskThatThrowsWithoutMemoryForTheLog_looksForTheNextAtOnce() {
        source.duringTask =
                () -> {
                    throw new Probe.UnloggableException();
                };
        source.waiting.set(1);
        worker.start();
        awaitSleep();

        assertThat(source.looks).hasSize(2);
    }

    @Test
    void work_everyOtherLook_beginsWithWhatWasResumed() {
        source.waiting.set(3);
        worker.start();
        awaitSleep();

        assertThat(source.looks).containsExactly(true, false, true, false);
    }

    @Test
    void work_stoppedWhileTasksWait_doesThemFirst() {
        source.waiting.set(3);
        source.stopping = true;
        worker.start();
        worker.awaitEnd(System.nanoTime() + PATIENCE.toNanos());

        assertThat(worker.isAlive()).isFalse();
        assertThat(source.done).hasValue(3);
    }

    @Test
    void awaitEnd_ofInterruptedThread_leavesItInterrupted() {
        worker.start();
        Thread.currentThread().interrupt();
        worker.awaitEnd(System.nanoTime() + PATIENCE.toNanos());

        assertThat(Thread.interrupted()).isTrue();
        assertThat(worker.isAlive()).isTrue();
    }

    @Test
    void toString_isTheNameOfItsThread() {
        worker.start();
        awaitSleep();

        assertThat(worker).hasToString("scripted-worker");
        assertThat(source.worker.getName()).isEqualTo("scripted-worker");
    }
}
