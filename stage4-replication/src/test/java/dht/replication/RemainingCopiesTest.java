package dht.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.concurrent.Deadline;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests for which copies a stopping node waits. */
@Timeout(60)
class RemainingCopiesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final RemainingCopies writes = new RemainingCopies();

    private static long in(Duration duration) {
        return System.nanoTime() + duration.toNanos();
    }

    private Thread awaitInBackground() {
        return Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                writes.awaitNone(in(PATIENCE));
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        });
    }

    private static void awaitWaiting(Thread thread) {
        Deadline.in(PATIENCE)
                .await("it waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
    }

    @Test
    void awaitNone_noneBegun_returnsAtOnce() throws InterruptedException {
        writes.awaitNone(in(PATIENCE));
        writes.begin();
        writes.end();
        writes.awaitNone(in(PATIENCE));
    }

    @Test
    void awaitNone_twoUnderWay_waitsForBoth() throws InterruptedException {
        writes.begin();
        writes.begin();
        Thread waiting = awaitInBackground();
        awaitWaiting(waiting);
        writes.end();
        assertThat(waiting.join(Duration.ofMillis(20))).isFalse();
        awaitWaiting(waiting);
        writes.end();

        assertThat(waiting.join(PATIENCE.dividedBy(2))).isTrue();
    }

    @Test
    void awaitNone_oneNeverEnds_givesUpAtTheDeadline() throws InterruptedException {
        writes.begin();
        writes.awaitNone(in(Duration.ofMillis(20)));
        writes.awaitNone(in(Duration.ofMillis(-1)));
    }
}
