package dht.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dht.execution.Rejections.Cause;
import dht.testkit.junit.CapturedErr;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Tests what the log says about rejected requests; each client gets its own answer. */
@ResourceLock(Resources.SYSTEM_ERR)
class RejectionsTest {
    private static final long BEGUN_NANOS = Long.MAX_VALUE - 1000; // The clock wraps.
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    @RegisterExtension private final CapturedErr log = new CapturedErr();
    private final Probe probe = new Probe();
    private final Rejections rejections = new Rejections(BEGUN_NANOS);

    private void refuse(Cause cause, long nanos) {
        rejections.refuse(probe.task("a"), cause, BEGUN_NANOS + nanos);
    }

    @Test
    void refuse_forTheFirstTime_isToldAtOnceWithItsCause() throws InterruptedException {
        refuse(Cause.DEADLINE, 0);

        assertThat(probe.events(1)).containsExactly("refuse a");
        assertThat(log.toString())
                .containsOnlyOnce(
                        "requests are rejected: full=0 deadline=1 stopping=0 since the start");
    }

    @Test
    void refuse_again_isToldOnceAMinute() {
        refuse(Cause.FULL, 0);
        refuse(Cause.FULL, MINUTE_NANOS - 1);
        assertThat(log.toString()).containsOnlyOnce("requests are rejected");

        log.reset();
        refuse(Cause.FULL, MINUTE_NANOS);
        assertThat(log.toString()).containsOnlyOnce("full=3 deadline=0 stopping=0");

        log.reset();
        refuse(Cause.FULL, 2 * MINUTE_NANOS - 1);
        assertThat(log.toString()).isEmpty();
        assertThat(rejections.count(Cause.FULL)).isEqualTo(4);
    }
}
