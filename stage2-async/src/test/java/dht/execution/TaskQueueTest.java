package dht.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dht.execution.TaskQueue.Order;
import dht.execution.TaskQueue.Waiting;
import dht.http.RequestExecutor.Task;
import dht.testkit.concurrent.Deadline;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests which task is taken next, and which task is rejected because the queue is full. */
@Timeout(60)
class TaskQueueTest {
    private static final long DEADLINE_NANOS = 100;
    private static final int LENGTH_MAX = 8;
    private static final int ROUNDS = 5000;

    private final Probe probe = new Probe();
    private final Task a = probe.task("a");
    private final Task b = probe.task("b");
    private final Task c = probe.task("c");
    private final Task x = probe.task("x");

    private TaskQueue queue; // In tests that follow its steps.

    private static TaskQueue queue(Order order) {
        return new TaskQueue(order, LENGTH_MAX, DEADLINE_NANOS);
    }

    private static Task task(Waiting taken) {
        return taken == null ? null : taken.task();
    }

    @Test
    void isEmpty_anythingWaits_itIsNot() {
        TaskQueue queue = queue(Order.FIFO);
        assertThat(queue.isEmpty()).isTrue();

        queue.put(a, 0);
        assertThat(queue.isEmpty()).isFalse();
        queue.take(false, 0);
        assertThat(queue.isEmpty()).isTrue();

        queue.putResumed(x, 0);
        assertThat(queue.isEmpty()).isFalse();
        queue.take(false, 0);
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void take_bothKindsWait_beginsWithTheOneAskedFor() {
        TaskQueue queue = queue(Order.FIFO);
        queue.put(a, 0);
        queue.putResumed(x, 0);

        assertThat(task(queue.take(true, 0))).isSameAs(x);
        queue.putResumed(x, 0);
        assertThat(task(queue.take(false, 0))).isSameAs(a);
        assertThat(queue.length()).isZero();
    }

    @Test
    void take_oneKindWaits_isThatWhateverIsAskedFor() {
        TaskQueue queue = queue(Order.FIFO);
        queue.put(a, 0);
        assertThat(task(queue.take(true, 0))).isSameAs(a);
        queue.putResumed(x, 0);
        assertThat(task(queue.take(false, 0))).isSameAs(x);
        assertThat(queue.take(true, 0)).isNull();
        assertThat(queue.take(false, 0)).isNull();
    }

    @Test
    void take_lifo_isTheNewestOnlyWhileMoreThanAQuarterWaits() {
        TaskQueue queue = queue(Order.LIFO);
        queue.put(a, 0);
        queue.put(b, 0);
        assertThat(task(queue.take(false, 0))).isSameAs(a);

        queue.put(c, 0);
        queue.put(a, 0);
        assertThat(task(queue.take(false, 0))).isSameAs(a);
        assertThat(task(queue.take(false, 0))).isSameAs(b);
        assertThat(task(queue.take(false, 0))).isSameAs(c);
    }

    @Test
    void take_lifoOldestOverdue_isTheOldest() {
        TaskQueue queue = queue(Order.LIFO);
        queue.put(a, 0);
        queue.put(b, 10);
        queue.put(c, 20);

        assertThat(task(queue.take(false, DEADLINE_NANOS + 1))).isSameAs(a);
        queue.put(a, 30);
        assertThat(task(queue.take(false, DEADLINE_NANOS + 2))).isSameAs(a);
    }

    @Test
    void take_lifoAfterLooksAtAnEmptyQueue_isTheNewestWhileManyWait() {
        TaskQueue queue = queue(Order.LIFO);
        lookAtEmpty(queue);
        queue.put(a, 0);
        queue.put(b, 0);
        queue.put(c, 0);

        assertThat(task(queue.take(false, 0))).isSameAs(c);
    }

    private static void lookAtEmpty(TaskQueue queue) {
        for (int i = 0; i < LENGTH_MAX; i++) {
            assertThat(queue.take(i % 2 == 0, 0)).isNull();
        }
    }

    @Test
    void put_fifoFull_findsNoRoomForTheArrival() {
        TaskQueue queue = queue(Order.FIFO);
        fill(queue);

        assertThat(task(queue.put(x, 0))).isSameAs(x);
        assertThat(queue.length()).isEqualTo(LENGTH_MAX);
        assertThat(task(queue.take(false, 0))).isSameAs(a);
        assertThat(queue.put(x, 0)).isNull();
    }

    @Test
    void put_lifoFull_findsNoRoomForTheOldest() {
        TaskQueue queue = queue(Order.LIFO);
        fill(queue);

        assertThat(task(queue.put(x, 0))).isSameAs(a);
        assertThat(queue.length()).isEqualTo(LENGTH_MAX);
        assertThat(task(queue.take(false, 0))).isSameAs(x);
        assertThat(queue.put(x, 0)).isNull();
    }

    /** The queue was full, and empty, and workers looked at it meanwhile: its room is the same. */
    @ParameterizedTest
    @EnumSource
    void put_afterTheQueueWasFullAndEmpty_findsAsMuchRoomAsBefore(Order order) {
        TaskQueue queue = queue(order);
        for (int round = 0; round < 3; round++) {
            lookAtEmpty(queue);
            fill(queue);
            assertThat(queue.put(x, 0)).isNotNull();
            for (int i = 0; i < LENGTH_MAX; i++) {
                assertThat(queue.take(false, 0)).isNotNull();
            }
        }
    }

    /** The oldest is a, all others are b. */
    private void fill(TaskQueue queue) {
        for (int i = 0; i < LENGTH_MAX; i++) {
            assertThat(queue.put(i == 0 ? a : b, 0)).isNull();
        }
    }

    /** Many times, as the two threads seldom meet if the machine is busy. */
    @RepeatedTest(20)
    void put_byTwoThreadsForOnePlace_letsOneIn() throws Exception {
        TaskQueue[] queues = queuesWithOnePlace(100_000);
        CyclicBarrier begin = new CyclicBarrier(2);
        FutureTask<Integer> other = new FutureTask<>(() -> takenIn(queues, begin));
        Thread.ofPlatform().start(other);

        assertThat(takenIn(queues, begin) + other.get()).isEqualTo(queues.length);
    }

    /** Of two threads that do this, the one behind finds full queues, and so catches up. */
    private int takenIn(TaskQueue[] queues, CyclicBarrier begin) throws Exception {
        begin.await();
        int count = 0;
        for (TaskQueue queue : queues) {
            count += queue.put(a, 0) == null ? 1 : 0;
        }
        return count;
    }

    private static TaskQueue[] queuesWithOnePlace(int count) {
        TaskQueue[] queues = new TaskQueue[count];
        Arrays.setAll(queues, _ -> new TaskQueue(Order.FIFO, 1, DEADLINE_NANOS));
        return queues;
    }

    /** If it were not, another request could come in that has no place. */
    @ParameterizedTest
    @EnumSource
    void length_whileARequestIsRemoved_countsIt(Order order) {
        List<String> tooLow = new ArrayList<>();
        Deque<Waiting> requests = new FollowedDeque(waiting -> compare(waiting, tooLow));
        queue =
                new TaskQueue(
                        order, LENGTH_MAX, DEADLINE_NANOS, requests, new ConcurrentLinkedQueue<>());
        queue.put(a, 0);
        queue.put(b, 0);
        queue.put(c, 0);

        assertThat(queue.take(false, 0)).isNotNull();
        assertThat(queue.take(false, 0)).isNotNull();
        assertThat(queue.take(false, 0)).isNotNull();
        assertThat(tooLow).isEmpty();
        assertThat(queue.length()).isZero();
    }

    private void compare(int waiting, List<String> tooLow) {
        if (queue.length() < waiting) {
            tooLow.add("length() is " + queue.length() + " while " + waiting + " wait");
        }
    }

    /** Tells a listener before each removal how many requests are waiting. */
    private static final class FollowedDeque extends ConcurrentLinkedDeque<Waiting> {
        private static final long serialVersionUID = 1;

        private final transient IntConsumer beforeRemoval;

        FollowedDeque(IntConsumer beforeRemoval) {
            this.beforeRemoval = beforeRemoval;
        }

        @Override
        public Waiting pollFirst() {
            beforeRemoval.accept(size());
            return super.pollFirst();
        }

        @Override
        public Waiting pollLast() {
            beforeRemoval.accept(size());
            return super.pollLast();
        }
    }

    /** If it were, a request could come in that has no place. */
    @Test
    void length_whileARequestComesAndLeaves_isNeverTooLow() throws Exception {
        for (int pair = 0; pair < TwoThreads.PAIRS; pair++) {
            TaskQueue[] queues = queuesWithOnePlace(ROUNDS);
            AtomicInteger tooLow = new AtomicInteger();
            AtomicInteger lastSeen = new AtomicInteger(-1);
            TwoThreads threads = new TwoThreads();
            int count =
                    threads.run(
                            ROUNDS,
                            round -> {
                                queues[round].put(a, 0);
                                threads.spinUntil(() -> lastSeen.get() == round);
                                queues[round].take(false, 0);
                            },
                            round -> {
                                threads.spinUntil(() -> !queues[round].isEmpty());
                                tooLow.addAndGet(queues[round].length() == 0 ? 1 : 0);
                                lastSeen.set(round);
                                threads.spinUntil(() -> queues[round].length() == 0);
                                tooLow.addAndGet(queues[round].isEmpty() ? 0 : 1);
                            });

            assertThat(tooLow)
                    .as("how often, in %d queues, length() was 0 with a request in them", count)
                    .hasValue(0);
        }
    }

    /** The take may find the request or nothing: the number is right in both cases. */
    @Test
    void length_afterPutAndTakeAtOnce_isTheNumberOfRequestsThatAreLeft() throws Exception {
        for (int pair = 0; pair < TwoThreads.PAIRS; pair++) {
            TaskQueue[] queues = queuesWithOnePlace(ROUNDS);
            Waiting[] taken = new Waiting[ROUNDS];
            int count =
                    new TwoThreads()
                            .run(
                                    ROUNDS,
                                    round -> queues[round].put(a, 0),
                                    round -> taken[round] = queues[round].take(false, 0));

            assertThat(IntStream.range(0, count))
                    .as("queues, of %d, whose length() is not what is in them", count)
                    .filteredOn(i -> queues[i].length() != (taken[i] == null ? 1 : 0))
                    .isEmpty();
        }
    }

    /** A thread that held the lock and lost its processor would hold up all others. */
    @Test
    void queue_whoseLockAnotherThreadHolds_isUsedAllTheSame() throws Exception {
        TaskQueue queue = queue(Order.LIFO);
        lookAtEmpty(queue);
        fill(queue);
        Thread other =
                Thread.ofPlatform()
                        .unstarted(
                                () -> {
                                    queue.put(x, 0);
                                    queue.take(false, 0);
                                    queue.length();
                                });
        synchronized (queue) {
            other.start();
            Deadline.in(Duration.ofSeconds(20))
                    .await(
                            "the other thread is done, or waits for this one",
                            () -> !other.isAlive() || waitsForThisThread(other));
            assertThat(waitsForThisThread(other)).as("it waits for the queue's lock").isFalse();
        }
        other.join();
    }

    private static boolean waitsForThisThread(Thread thread) {
        ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.threadId());
        return info != null && info.getLockOwnerId() == Thread.currentThread().threadId();
    }

    @Test
    void isOverdue_requestAtItsDeadline_isNotYet() {
        TaskQueue queue = queue(Order.FIFO);
        Waiting request = new Waiting(a, 5, true);

        assertThat(queue.isOverdue(request, 5 + DEADLINE_NANOS)).isFalse();
        assertThat(queue.isOverdue(request, 6 + DEADLINE_NANOS)).isTrue();
        assertThat(queue.isOverdue(new Waiting(x, 5, false), 6 + DEADLINE_NANOS)).isFalse();
    }
}
