package dht.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dht.execution.TaskQueue.Order;
import dht.execution.TaskQueue.Waiting;
import dht.http.RequestExecutor.Task;
import org.junit.jupiter.api.Test;

/** Which task is next, in one thread. */
class TaskQueueTest {
    private static final long DEADLINE_NANOS = 100;

    private final Probe probe = new Probe();
    private final Task a = probe.task("a");
    private final Task b = probe.task("b");
    private final Task c = probe.task("c");
    private final Task x = probe.task("x");

    private static TaskQueue queue(Order order) {
        return new TaskQueue(order, 8, DEADLINE_NANOS);
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
    void isOverdue_requestAtItsDeadline_isNotYet() {
        TaskQueue queue = queue(Order.FIFO);
        Waiting request = new Waiting(a, 5, true);

        assertThat(queue.isOverdue(request, 5 + DEADLINE_NANOS)).isFalse();
        assertThat(queue.isOverdue(request, 6 + DEADLINE_NANOS)).isTrue();
        assertThat(queue.isOverdue(new Waiting(x, 5, false), 6 + DEADLINE_NANOS)).isFalse();
    }
}
