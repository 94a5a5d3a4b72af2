package dht.execution;

import static java.lang.Thread.State.TIMED_WAITING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.execution.Probe.Blocker;
import dht.execution.Rejections.Cause;
import dht.execution.TaskQueue.Waiting;
import dht.testkit.concurrent.Deadline;
import dht.testkit.junit.CapturedErr;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A pool with one worker, which is kept busy while tasks collect in the queue, and a clock that
 * stands still.
 */
@Timeout(60)
@ResourceLock(Resources.SYSTEM_ERR)
class WorkerPoolTest {
    private static final Duration DEADLINE = Duration.ofSeconds(1);
    private static final int QUEUE_LENGTH = 4;
    private static final AtomicInteger POOLS = new AtomicInteger();

    @RegisterExtension private final CapturedErr log = new CapturedErr();
    private final AtomicLong nowNanos = new AtomicLong(Long.MAX_VALUE - 1000); // It wraps.
    private final Probe probe = new Probe();
    private final Blocker blocker = probe.new Blocker();

    /** Of this test's threads alone: those of another one may still be about to end. */
    private final String threadName = "pool" + POOLS.incrementAndGet();

    private CountedExecutor pool;

    @AfterEach
    void close() {
        blocker.letGo();
        if (pool != null) {
            pool.close();
        }
    }

    private void open(ExecutorKind kind, int workerCount, Duration drainTimeout) {
        open(kind, workerCount, drainTimeout, nowNanos::get);
    }

    private void open(
            ExecutorKind kind, int workerCount, Duration drainTimeout, LongSupplier nanoClock) {
        var options = new ExecutionOptions(kind, workerCount, QUEUE_LENGTH, DEADLINE, drainTimeout);
        pool = kind.open(threadName, options, nanoClock);
    }

    private void openBusy(ExecutorKind kind) {
        open(kind, 1, Duration.ofSeconds(20));
        blocker.occupy(pool);
    }

    private void execute(String... names) {
        for (String name : names) {
            pool.execute(probe.task(name));
        }
    }

    @Test
    void fifo_manyWait_runsOldestFirst() throws Exception {
        openBusy(ExecutorKind.FIFO);
        execute("a", "b", "c", "d");
        blocker.letGo();

        assertThat(probe.events(4)).containsExactly("run a", "run b", "run c", "run d");
    }

    @Test
    void fifo_full_refusesTheNewestAndCountsIt() throws Exception {
        openBusy(ExecutorKind.FIFO);
        execute("a", "b", "c", "d", "e");

        assertThat(probe.events(1)).containsExactly("refuse e");
        assertThat(pool.rejections().count(Cause.FULL)).isEqualTo(1);
        assertThat(pool.queuedCount()).isEqualTo(QUEUE_LENGTH);
        assertThat(pool.inFlightCount()).isEqualTo(1);
    }

    @Test
    void lifo_manyWait_runsNewestFirstAndTheLastOnesInOrder() throws Exception {
        openBusy(ExecutorKind.LIFO);
        execute("a", "b", "c", "d");
        blocker.letGo();

        assertThat(probe.events(4)).containsExactly("run d", "run c", "run b", "run a");
    }

    @Test
    void lifo_full_refusesTheOldest() throws Exception {
        openBusy(ExecutorKind.LIFO);
        execute("a", "b", "c", "d", "e");
        assertThat(probe.events(1)).containsExactly("refuse a");
        blocker.letGo();

        assertThat(probe.events(5)).element(1).isEqualTo("run e");
        assertThat(pool.rejections().count(Cause.FULL)).isEqualTo(1);
    }

    @Test
    void lifo_oldestOverdue_isRefusedBeforeTheNewestRuns() throws Exception {
        openBusy(ExecutorKind.LIFO);
        execute("a", "b");
        nowNanos.addAndGet(DEADLINE.toNanos() + 1);
        execute("c", "d");
        blocker.letGo();

        assertThat(probe.events(4)).containsExactly("refuse a", "refuse b", "run d", "run c");
        assertThat(pool.rejections().count(Cause.DEADLINE)).isEqualTo(2);
    }

    @Test
    void task_takenJustInTime_runs() throws Exception {
        openBusy(ExecutorKind.FIFO);
        execute("a");
        nowNanos.addAndGet(DEADLINE.toNanos());
        blocker.letGo();

        assertThat(probe.events(1)).containsExactly("run a");
    }

    @Test
    void task_takenTooLate_isRefused() throws Exception {
        openBusy(ExecutorKind.FIFO);
        execute("a");
        nowNanos.addAndGet(DEADLINE.toNanos() + 1);
        execute("b");
        blocker.letGo();

        assertThat(probe.events(2)).containsExactly("refuse a", "run b");
        assertThat(pool.rejections().count(Cause.DEADLINE)).isEqualTo(1);
    }

    @Test
    void resumed_queueFullAndOverdue_runsAndTakesNobodysTurn() throws Exception {
        openBusy(ExecutorKind.FIFO);
        execute("a", "b", "c", "d");
        pool.resume(probe.task("x"));
        pool.resume(probe.task("y"));
        nowNanos.addAndGet(DEADLINE.toNanos() + 1);
        blocker.letGo();

        assertThat(probe.events(6)).contains("run x", "run y");
        assertThat(probe.events(6).indexOf("refuse a")).isLessThan(2);
    }

    @Test
    void task_thatThrows_leavesTheWorkerAlive() throws Exception {
        open(ExecutorKind.FIFO, 1, Duration.ofSeconds(20));
        pool.execute(probe.failing());
        execute("a");

        assertThat(probe.events(2)).containsExactly("run failing", "run a");
    }

    @Test
    void close_tasksWaiting_runsThemFirst() throws Exception {
        openBusy(ExecutorKind.FIFO);
        execute("a", "b");
        Thread closing = startClosing();
        execute("late");
        blocker.letGo();
        closing.join();

        assertThat(probe.events(3)).containsExactly("refuse late", "run a", "run b");
        assertThat(pool.rejections().count(Cause.STOPPING)).isEqualTo(1);
    }

    /** Who closes waits for the worker. */
    private Thread startClosing() {
        Thread closing = Thread.ofPlatform().start(pool::close);
        Deadline.in(Duration.ofSeconds(20))
                .await(
                        "close waits for the worker, or has ended",
                        () -> closing.getState() == TIMED_WAITING || !closing.isAlive());
        return closing;
    }

    /** A refusal is work, too: the worker must not take it for an empty queue and end. */
    @Test
    void close_overdueTaskWaits_refusesItAndRunsTheNext() throws Exception {
        openBusy(ExecutorKind.FIFO);
        execute("a");
        nowNanos.addAndGet(DEADLINE.toNanos() + 1);
        execute("b");
        Thread closing = startClosing();
        blocker.letGo();
        closing.join();

        assertThat(probe.events(2)).containsExactly("refuse a", "run b");
        assertThat(pool.rejections().count(Cause.DEADLINE)).isEqualTo(1);
    }

    @Test
    void close_workerStuck_refusesWhatWaitsAfterTheTimeout() throws Exception {
        open(ExecutorKind.FIFO, 1, Duration.ofMillis(20));
        blocker.occupy(pool);
        execute("a");
        pool.resume(probe.task("x"));

        pool.close();

        assertThat(probe.events(2)).containsExactlyInAnyOrder("refuse a", "refuse x");
        pool.resume(probe.task("late"));
        assertThat(probe.events(0)).last().isEqualTo("refuse late"); // By this thread.
        assertThat(log.toString())
                .contains(threadName + "-1 did not end within PT0.02S of the stop");
    }

    /** One timeout for all: a server with many workers must stop in time, too. */
    @Test
    void close_manyWorkersStuck_takesOneTimeoutForAllOfThem() {
        int count = 200;
        Duration timeout = Duration.ofMillis(100);
        open(ExecutorKind.FIFO, count, timeout);
        List<Blocker> blockers =
                Stream.generate(() -> probe.new Blocker().occupy(pool)).limit(count).toList();
        long beganAtNanos = System.nanoTime();
        pool.close();
        Duration taken = Duration.ofNanos(System.nanoTime() - beganAtNanos);
        blockers.forEach(Blocker::letGo);

        assertThat(taken).as("until it was closed").isLessThan(timeout.multipliedBy(count * 3 / 4));
        assertThat(log.toString().lines().filter(line -> line.contains("did not end")))
                .hasSize(count);
    }

    /** All are woken before the first one is waited for: else the others would end too late. */
    @Test
    void close_oneWorkerStuckAndOneAsleep_wakesTheOneThatSleepsAtOnce() throws Exception {
        open(ExecutorKind.FIFO, 2, Duration.ofSeconds(20));
        awaitSleepOfAll();
        blocker.occupy(pool);
        Thread closing = startClosing();

        int awake = pool.inFlightCount(); // Read first: the woken worker may end in between.
        assertThat(workerThreads()).as("no worker sleeps").hasSizeLessThanOrEqualTo(awake);
        Deadline.in(Duration.ofSeconds(20))
                .await("the one that slept has ended", () -> workerThreads().size() == 1);
        blocker.letGo();
        closing.join();
        assertThat(log.toString()).doesNotContain("did not end");
    }

    /** As if the worker had ended already: only the test's own threads can refuse a task. */
    private static final class NeverStarted extends Thread {
        NeverStarted(Runnable work) {
            super(work);
        }

        @Override
        public void start() {
            // No thread is needed.
        }
    }

    /**
     * One thread closes the pool, and another thread brings a task. The thread that looks into the
     * queue last refuses the task.
     */
    @Test
    void close_taskResumedAtTheSameMoment_isRefusedOnce() throws Exception {
        for (int pair = 0; pair < TwoThreads.PAIRS; pair++) {
            WorkerPool[] pools = poolsWithoutThreads(1000);
            AtomicIntegerArray refused = new AtomicIntegerArray(pools.length);
            int count =
                    new TwoThreads()
                            .run(
                                    pools.length,
                                    round -> pools[round].close(),
                                    round -> pools[round].resume(new Counted(refused, round)));

            assertThat(IntStream.range(0, count))
                    .as("tasks, of %d, that were not refused exactly once", count)
                    .filteredOn(i -> refused.get(i) != 1)
                    .isEmpty();
        }
    }

    /**
     * The same, with the task between two steps of the thread that closes the pool: it has looked
     * for a task, and found none.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void close_taskResumedAfterALook_isRefusedOnce(int look) {
        AtomicIntegerArray refused = new AtomicIntegerArray(1);
        Counted task = new Counted(refused, 0);
        FollowedQueue resumed = new FollowedQueue(look, () -> pool.resume(task));
        var queue =
                new TaskQueue(
                        TaskQueue.Order.FIFO,
                        1,
                        DEADLINE.toNanos(),
                        new ConcurrentLinkedDeque<>(),
                        resumed);
        var options =
                new ExecutionOptions(ExecutorKind.FIFO, 1, 1, DEADLINE, Duration.ofSeconds(20));
        pool = new WorkerPool(threadName, queue, options, nowNanos::get, NeverStarted::new);
        nowNanos.decrementAndGet(); // So the pool does not log that it refuses.
        pool.close();

        assertThat(refused.get(0)).isEqualTo(resumed.looks >= look ? 1 : 0);
    }

    /** Runs a step after a thread has looked for a task a number of times and found none. */
    private static final class FollowedQueue extends ConcurrentLinkedQueue<Waiting> {
        private static final long serialVersionUID = 1;

        private final int lookMax;
        private final transient Runnable step;
        private int looks;

        FollowedQueue(int lookMax, Runnable step) {
            this.lookMax = lookMax;
            this.step = step;
        }

        @Override
        public Waiting poll() {
            Waiting next = super.poll();
            if (next == null && ++looks == lookMax) {
                step.run();
            }
            return next;
        }
    }

    private WorkerPool[] poolsWithoutThreads(int count) {
        var options =
                new ExecutionOptions(ExecutorKind.FIFO, 1, 1, DEADLINE, Duration.ofSeconds(20));
        WorkerPool[] pools = new WorkerPool[count];
        Arrays.setAll(
                pools,
                _ ->
                        new WorkerPool(
                                threadName,
                                new TaskQueue(TaskQueue.Order.FIFO, 1, DEADLINE.toNanos()),
                                options,
                                nowNanos::get,
                                NeverStarted::new));
        nowNanos.decrementAndGet(); // So no pool logs that it refuses: its line is not due yet.
        return pools;
    }

    /** A task that counts how often it was refused. Nobody may run it. */
    private record Counted(AtomicIntegerArray refused, int index)
            implements dht.http.RequestExecutor.Task {
        @Override
        public void run() {
            throw new AssertionError("there is no worker");
        }

        @Override
        public void refuse(dht.http.Response answer) {
            refused.incrementAndGet(index);
        }
    }

    @Test
    void close_again_doesNothing() throws Exception {
        open(ExecutorKind.FIFO, 2, Duration.ofSeconds(20));
        execute("a");
        pool.close();
        pool.close();

        assertThat(probe.events(1)).containsExactly("run a");
        assertThat(workerThreads()).isEmpty();
        assertThat(log.toString()).doesNotContain("did not end");
    }

    @Test
    void workers_ofANewPool_areThere() {
        open(ExecutorKind.FIFO, 3, Duration.ofSeconds(20));

        assertThat(workerThreads())
                .containsExactly(threadName + "-1", threadName + "-2", threadName + "-3");
    }

    /** Else they would wait for work until the process ends, and nobody could stop them. */
    @Test
    void workers_oneOfThemGetsNoThread_leavesNoneBehind() {
        var options =
                new ExecutionOptions(ExecutorKind.FIFO, 3, 1, DEADLINE, Duration.ofSeconds(20));
        List<Thread> made = new ArrayList<>();
        ThreadFactory threads =
                work -> {
                    Thread thread = made.size() < 2 ? new Thread(work) : new Unstartable(work);
                    made.add(thread);
                    return thread;
                };
        assertThatThrownBy(
                        () ->
                                new WorkerPool(
                                        threadName,
                                        new TaskQueue(TaskQueue.Order.FIFO, 1, DEADLINE.toNanos()),
                                        options,
                                        nowNanos::get,
                                        threads))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(made).hasSize(3).noneMatch(Thread::isAlive);
    }

    private static final class Unstartable extends Thread {
        Unstartable(Runnable work) {
            super(work);
        }

        @Override
        public void start() {
            throw new OutOfMemoryError("unable to create native thread");
        }
    }

    @Test
    void workers_nothingToDo_sleep() {
        open(ExecutorKind.FIFO, 3, Duration.ofSeconds(20));
        awaitSleepOfAll();

        assertThat(pool.inFlightCount()).isZero();
    }

    private void awaitSleepOfAll() {
        Deadline.in(Duration.ofSeconds(20))
                .await(
                        "all workers sleep",
                        () ->
                                Thread.getAllStackTraces().keySet().stream()
                                        .filter(thread -> isWorker(thread.getName()))
                                        .allMatch(this::sleeps));
    }

    private boolean isWorker(String name) {
        return name.startsWith(threadName + "-");
    }

    private boolean sleeps(Thread worker) {
        return LockSupport.getBlocker(worker) == pool;
    }

    @Test
    void task_someWorkersBusy_wakesOneThatSleeps() throws Exception {
        open(ExecutorKind.FIFO, 2, Duration.ofSeconds(20));
        awaitSleepOfAll();
        blocker.occupy(pool);
        execute("a");

        assertThat(probe.events(1)).containsExactly("run a");
    }

    /**
     * The worker is fast: whenever it is woken, it looks at the queue, and sleeps again before the
     * thread that brings a task does its next step. So the task must be in the queue before that.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void task_broughtToAFastWorker_runs(boolean isResumed) throws Exception {
        var options =
                new ExecutionOptions(ExecutorKind.FIFO, 1, 1, DEADLINE, Duration.ofSeconds(20));
        var queue =
                new TaskQueue(
                        TaskQueue.Order.FIFO,
                        1,
                        DEADLINE.toNanos(),
                        new ConcurrentLinkedDeque<>() {
                            @Override
                            public void addLast(Waiting arrival) {
                                awaitIdle();
                                super.addLast(arrival);
                            }
                        },
                        new ConcurrentLinkedQueue<>() {
                            @Override
                            public boolean add(Waiting arrival) {
                                awaitIdle();
                                return super.add(arrival);
                            }
                        });
        pool =
                new WorkerPool(
                        threadName, queue, options, nowNanos::get, Thread.ofPlatform().factory());
        awaitIdle();
        if (isResumed) {
            pool.resume(probe.task("a"));
        } else {
            pool.execute(probe.task("a"));
        }
        awaitIdle();

        assertThat(probe.events(0)).containsExactly("run a");
    }

    private void awaitIdle() {
        Deadline.in(Duration.ofSeconds(20))
                .await("no worker is awake", () -> pool.inFlightCount() == 0);
    }

    /** A worker reads the clock before it looks at the queue. */
    @Test
    void task_allWorkersSleep_wakesOneAlone() {
        Set<String> looked = ConcurrentHashMap.newKeySet();
        open(
                ExecutorKind.FIFO,
                3,
                Duration.ofSeconds(20),
                () -> {
                    looked.add(Thread.currentThread().getName());
                    return nowNanos.get();
                });
        awaitSleepOfAll();
        looked.clear();
        blocker.occupy(pool);
        Deadline.in(Duration.ofSeconds(20))
                .await("all others sleep", () -> pool.inFlightCount() == 1);

        assertThat(looked).filteredOn(this::isWorker).hasSize(1);
    }

    private List<String> workerThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(this::isWorker)
                .sorted()
                .toList();
    }

    /** Many pauses long enough to fall asleep in: a wake-up that is lost leaves a task for ever. */
    @Test
    void tasks_broughtByManyWithPauses_allRun() throws Exception {
        open(ExecutorKind.FIFO, 3, Duration.ofSeconds(20));
        AtomicInteger refused = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(2 * 2000);
        List<FutureTask<Void>> bringers =
                IntStream.range(0, 2)
                        .mapToObj(_ -> new FutureTask<Void>(() -> bring(2000, done, refused), null))
                        .toList();
        bringers.forEach(bringer -> Thread.ofPlatform().start(bringer));
        for (FutureTask<Void> bringer : bringers) {
            bringer.get();
        }

        assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(refused).hasValue((int) pool.rejections().count(Cause.FULL));
        assertThat(pool.queuedCount()).isZero();
    }

    private void bring(int count, CountDownLatch done, AtomicInteger refused) {
        for (int i = 0; i < count; i++) {
            CountDownLatch one = new CountDownLatch(1);
            pool.execute(
                    new dht.http.RequestExecutor.Task() {
                        @Override
                        public void run() {
                            done.countDown();
                            one.countDown();
                        }

                        @Override
                        public void refuse(dht.http.Response answer) {
                            refused.incrementAndGet();
                            run();
                        }
                    });
            if (i % 2 == 0) {
                try {
                    one.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }
}
