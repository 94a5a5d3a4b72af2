package dht.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InPlaceTest {
    private final CountedExecutor executor = new InPlace(() -> 0);
    private final Probe probe = new Probe();

    @Test
    void task_runningAndResumingAnother_isCountedWithIt() {
        List<Integer> counts = new ArrayList<>();
        Runnable count = () -> counts.add(executor.inFlightCount());
        executor.execute(
                probe.task(
                        "a",
                        () -> {
                            count.run();
                            executor.resume(probe.task("x", count));
                        }));

        assertThat(counts).containsExactly(1, 2);
        assertThat(executor.inFlightCount()).isZero();
        assertThat(executor.queuedCount()).isZero();
    }

    @Test
    void rejections_ofAnything_areNone() {
        for (Rejections.Cause cause : Rejections.Cause.values()) {
            assertThat(executor.rejections().count(cause)).isZero();
        }
    }

    @Test
    void task_thatThrows_isCountedNoMore() {
        assertThatThrownBy(() -> executor.execute(probe.failing()))
                .isInstanceOf(IllegalStateException.class);

        assertThat(executor.inFlightCount()).isZero();
    }
}
