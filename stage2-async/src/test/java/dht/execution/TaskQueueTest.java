package dht.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dht.execution.TaskQueue.Order;
import dht.execution.TaskQueue.Waiting;
import dht.http.RequestExecutor.Task;
import java.util.Arrays;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
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

    private final Probe probe = new Probe();
    private final Task a = probe.task("a");
    private final Task b = probe.task("b");
    private final Task c = probe.task("c");
    private final Task x = probe.task("x");

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
        TaskQueue[] queues = new TaskQueue[100_000];
        Arrays.setAll(queues, _ -> new TaskQueue(Order.FIFO, 1, DEADLINE_NANOS));
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

    @Test
    void isOverdue_requestAtItsDeadline_isNotYet() {
        TaskQueue queue = queue(Order.FIFO);
        Waiting request = new Waiting(a, 5, true);

        assertThat(queue.isOverdue(request, 5 + DEADLINE_NANOS)).isFalse();
        assertThat(queue.isOverdue(request, 6 + DEADLINE_NANOS)).isTrue();
        assertThat(queue.isOverdue(new Waiting(x, 5, false), 6 + DEADLINE_NANOS)).isFalse();
    }
}
