package dht.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dht.execution.Probe.Blocker;
import dht.execution.Rejections.Cause;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** At most three requests at a time: one for the worker that isn't there, two for the queue. */
@Timeout(60)
class VirtualThreadsTest {
    private final AtomicLong nowNanos = new AtomicLong();
    private final Probe probe = new Probe();
    private final Blocker first = probe.new Blocker();
    private final Blocker second = probe.new Blocker();
    private final Blocker third = probe.new Blocker();
    private final CountedExecutor executor =
            ExecutorKind.VIRTUAL.open(
                    "worker",
                    new ExecutionOptions(
                            ExecutorKind.VIRTUAL,
                            1,
                            2,
                            Duration.ofSeconds(1),
                            Duration.ofSeconds(20)),
                    nowNanos::get);

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
}
