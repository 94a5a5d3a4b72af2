package dht.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dht.execution.Probe.Blocker;
import dht.execution.Rejections.Cause;
import dht.testkit.concurrent.Deadline;
import dht.testkit.junit.CapturedErr;
import java.time.Duration;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** An executor that accepts at most three requests at a time: one that runs, and two that wait. */
@Timeout(60)
@ResourceLock(Resources.SYSTEM_ERR)
class VirtualThreadsTest {
    private static final Duration DEADLINE = Duration.ofSeconds(1);

    @RegisterExtension private final CapturedErr log = new CapturedErr();
    private final AtomicLong nowNanos = new AtomicLong();
    private final Probe probe = new Probe();
    private final Blocker first = probe.new Blocker();
    private final Blocker second = probe.new Blocker();
    private final Blocker third = probe.new Blocker();
    private final CountedExecutor executor =
            ExecutorKind.VIRTUAL.open("worker", options(2, Duration.ofSeconds(20)), nowNanos::get);

    private static ExecutionOptions options(int queueLengthMax, Duration drainTimeout) {
        return new ExecutionOptions(
                ExecutorKind.VIRTUAL, 1, queueLengthMax, DEADLINE, drainTimeout);
    }

    /** Takes threads down, and starts none: as if all processors were busy with others. */
    private CountedExecutor openWithoutProcessors(List<Runnable> unstarted, Duration drainTimeout) {
        return new VirtualThreads(
                options(2, drainTimeout),
                nowNanos::get,
                work -> Thread.ofVirtual().unstarted(() -> unstarted.add(work)));
    }

    @AfterEach
    void close() {
        first.letGo();
        second.letGo();
        third.letGo();
        executor.close();
    }

    @Test
    void request_roomForIt_runs() throws Exception {
        executor.execute(probe.task("a"));

        assertThat(probe.events(1)).containsExactly("run a");
    }

    @Test
    void request_tooManyInFlight_isRefusedUntilOneEnds() throws Exception {
        first.occupy(executor);
        second.occupy(executor);
        third.occupy(executor);
        executor.execute(probe.task("a"));
        assertThat(probe.events(1)).containsExactly("refuse a");
        assertThat(executor.rejections().count(Cause.FULL)).isEqualTo(1);
        assertThat(executor.inFlightCount()).isEqualTo(3);

        executor.resume(probe.task("x"));
        assertThat(probe.events(2)).last().isEqualTo("run x");

        first.letGo();
        while (executor.inFlightCount() == 3) {
            Thread.onSpinWait();
        }
        Probe another = new Probe();
        while (another.events(0).stream()
                .noneMatch("run b"::equals)) { // Counted out a moment later.
            executor.execute(another.task("b"));
            Thread.yield();
        }
    }

    @Test
    void task_thatThrows_givesItsRoomBack() throws Exception {
        for (int i = 0; i < 3; i++) {
            executor.execute(probe.failing());
        }
        probe.events(3);
        while (executor.inFlightCount() > 0) {
            Thread.onSpinWait();
        }
        Probe another = new Probe();
        while (another.events(0).stream().noneMatch("run a"::equals)) {
            executor.execute(another.task("a"));
            Thread.yield();
        }
    }

    @Test
    void task_thatThrowsWithoutMemoryForTheLog_isCountedNoMore() {
        executor.execute(probe.unloggable());

        Deadline.in(Duration.ofSeconds(20))
                .await("its end", () -> isTold("run unloggable") && executor.inFlightCount() == 0);
    }

    /** Runs out of memory after some changes, as a {@code ConcurrentHashMap} may do. */
    private static final class PoorSet<T> extends AbstractSet<T> {
        private final Set<T> elements = ConcurrentHashMap.newKeySet();
        private final boolean failsToAdd;
        private final boolean failsToRemove;

        PoorSet(boolean failsToAdd, boolean failsToRemove) {
            this.failsToAdd = failsToAdd;
            this.failsToRemove = failsToRemove;
        }

        @Override
        public boolean add(T element) {
            return outcome(elements.add(element), failsToAdd);
        }

        @Override
        public boolean remove(Object element) {
            return outcome(elements.remove(element), failsToRemove);
        }

        private static boolean outcome(boolean isChanged, boolean isFailing) {
            if (isChanged && isFailing) {
                throw new OutOfMemoryError("on purpose");
            }
            return isChanged;
        }

        @Override
        public Iterator<T> iterator() {
            return elements.iterator();
        }

        @Override
        public int size() {
            return elements.size();
        }
    }

    @Test
    void tasks_addedWithoutMemory_areRefusedOnceAndGiveTheirRoomBack() throws Exception {
        var poor = openPoor(new PoorSet<>(true, false));
        for (String name : List.of("a", "b", "c", "d", "e")) {
            assertThatCode(() -> poor.execute(probe.task(name))).doesNotThrowAnyException();
        }
        assertThatCode(() -> poor.resume(probe.task("x"))).doesNotThrowAnyException();
        poor.close();

        assertThat(probe.events(6))
                .containsExactly(
                        "refuse a", "refuse b", "refuse c", "refuse d", "refuse e", "refuse x");
        assertThat(poor.inFlightCount()).isZero();
        assertThat(poor.queuedCount()).isZero();
    }

    @Test
    void tasks_removedWithoutMemory_runOnceAndGiveTheirRoomBack() throws Exception {
        var poor = openPoor(new PoorSet<>(false, true));
        for (String name : List.of("a", "b", "c", "d", "e")) {
            poor.execute(probe.task(name));
            Deadline.in(Duration.ofSeconds(20))
                    .await("its end", () -> isTold("run " + name) && poor.inFlightCount() == 0);
        }
        poor.close();

        assertThat(probe.events(5)).containsExactly("run a", "run b", "run c", "run d", "run e");
    }

    private VirtualThreads openPoor(Set<VirtualThreads.Turn> waiting) {
        return new VirtualThreads(
                options(2, Duration.ofMillis(20)),
                nowNanos::get,
                Thread.ofVirtual().factory(),
                waiting);
    }

    private boolean isTold(String event) {
        try {
            return probe.events(0).contains(event);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void close_requestRunning_waitsForIt() throws Exception {
        first.occupy(executor);
        Thread closing = Thread.ofPlatform().start(executor::close);
        while (closing.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        executor.execute(probe.task("late"));
        assertThat(probe.events(1)).containsExactly("refuse late");
        first.letGo();
        closing.join();

        assertThat(executor.inFlightCount()).isZero();
    }

    @Test
    void request_queueOfAnyLength_runs() throws Exception {
        try (var endless =
                new VirtualThreads(
                        options(Integer.MAX_VALUE, Duration.ofSeconds(20)), nowNanos::get)) {
            endless.execute(probe.task("a"));
            assertThat(probe.events(1)).containsExactly("run a");
        }
    }

    @Test
    void task_begunTooLate_isRefusedUnlessItWasResumed() throws Exception {
        List<Runnable> unstarted = new CopyOnWriteArrayList<>();
        try (var busy = openWithoutProcessors(unstarted, Duration.ofSeconds(20))) {
            busy.execute(probe.task("a"));
            awaitCount(unstarted, 1);
            busy.resume(probe.task("x"));
            awaitCount(unstarted, 2);
            nowNanos.addAndGet(DEADLINE.toNanos());
            busy.execute(probe.task("b"));
            awaitCount(unstarted, 3);
            nowNanos.addAndGet(1);
            assertThat(busy.queuedCount()).isEqualTo(2);
            unstarted.forEach(Runnable::run);

            assertThat(probe.events(3)).containsExactly("refuse a", "run x", "run b");
            assertThat(busy.rejections().count(Cause.DEADLINE)).isEqualTo(1);
            assertThat(busy.queuedCount()).isZero();
        }
    }

    @Test
    void request_begunJustInTime_runs() throws Exception {
        List<Runnable> unstarted = new CopyOnWriteArrayList<>();
        try (var busy = openWithoutProcessors(unstarted, Duration.ofSeconds(20))) {
            busy.execute(probe.task("a"));
            awaitCount(unstarted, 1);
            nowNanos.addAndGet(DEADLINE.toNanos());
            unstarted.forEach(Runnable::run);

            assertThat(probe.events(1)).containsExactly("run a");
        }
    }

    @Test
    void close_tasksRunning_tellsTheLogOfThoseThatDidNotEnd() {
        first.occupy(executor);
        first.letGo();
        executor.close();
        assertThat(log.toString()).doesNotContain("did not end");

        var impatient =
                ExecutorKind.VIRTUAL.open(
                        "worker", options(2, Duration.ofMillis(20)), nowNanos::get);
        second.occupy(impatient);
        impatient.close();
        assertThat(log.toString()).contains("tasks did not end within PT0.02S: count=1");
    }

    @Test
    void resumed_manyWait_takeNobodysRoom() throws Exception {
        List<Runnable> unstarted = new CopyOnWriteArrayList<>();
        try (var busy = openWithoutProcessors(unstarted, Duration.ofSeconds(20))) {
            for (String name : List.of("x", "y", "z")) {
                busy.resume(probe.task(name));
            }
            for (String name : List.of("a", "b", "c", "d")) {
                busy.execute(probe.task(name));
            }
            assertThat(probe.events(1)).containsExactly("refuse d");
            awaitCount(unstarted, 6);
            unstarted.forEach(Runnable::run);

            assertThat(probe.events(7)).contains("run x", "run y", "run z", "run a", "run b");
        }
    }

    @Test
    void close_taskNotBegun_isRefusedAfterTheTimeoutAndNeverRun() throws Exception {
        List<Runnable> unstarted = new CopyOnWriteArrayList<>();
        var busy = openWithoutProcessors(unstarted, Duration.ofMillis(20));
        busy.execute(probe.task("a"));
        awaitCount(unstarted, 1);

        busy.close();
        assertThat(probe.events(1)).containsExactly("refuse a");
        unstarted.forEach(Runnable::run);
        busy.resume(probe.task("late"));

        assertThat(probe.events(2)).containsExactly("refuse a", "refuse late");
        assertThat(busy.rejections().count(Cause.STOPPING)).isEqualTo(2);
    }

    @Test
    void close_taskNotBegun_waitsForItsThread() throws Exception {
        List<Runnable> unstarted = new CopyOnWriteArrayList<>();
        var busy = openWithoutProcessors(unstarted, Duration.ofSeconds(20));
        busy.execute(probe.task("a"));
        awaitCount(unstarted, 1);
        Thread closing = Thread.ofPlatform().start(busy::close);
        Deadline.in(Duration.ofSeconds(20))
                .await(
                        "it waits, or has ended",
                        () ->
                                closing.getState() == Thread.State.TIMED_WAITING
                                        || !closing.isAlive());
        unstarted.forEach(Runnable::run);
        closing.join();

        assertThat(probe.events(1)).containsExactly("run a");
    }

    /** Its thread begins before anybody has looked for tasks that came too late. */
    @Test
    void task_resumedAfterClose_isNeverRun() throws Exception {
        ThreadFactory atOnce =
                work ->
                        new Thread(work) {
                            @Override
                            public void start() {
                                work.run();
                            }
                        };
        var stopped = new VirtualThreads(options(2, Duration.ZERO), nowNanos::get, atOnce);
        stopped.close();

        stopped.resume(probe.task("late"));

        assertThat(probe.events(1)).containsExactly("refuse late");
    }

    private static void awaitCount(List<Runnable> unstarted, int count) {
        Deadline.in(Duration.ofSeconds(20)).await("its thread", () -> unstarted.size() == count);
    }

    @Test
    void task_thatGetsNoThread_isRefusedAndGivesItsRoomBack() throws Exception {
        AtomicInteger missing = new AtomicInteger(4);
        ThreadFactory threads =
                work -> {
                    if (missing.getAndDecrement() > 0) {
                        throw new RejectedExecutionException("on purpose");
                    }
                    return Thread.ofVirtual().unstarted(work);
                };
        try (var poor =
                new VirtualThreads(options(2, Duration.ofSeconds(20)), nowNanos::get, threads)) {
            for (int i = 0; i < 4; i++) {
                poor.execute(probe.task("a"));
            }
            poor.execute(probe.task("b"));

            assertThat(probe.events(5)).containsOnlyOnce("run b").doesNotContain("run a");
        }
    }
}
