package dht.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.StorageException;
import dht.testkit.concurrent.Deadline;
import dht.testkit.junit.CapturedErr;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@Timeout(30)
@ResourceLock(Resources.SYSTEM_ERR)
class RepairThreadTest {
    @RegisterExtension final CapturedErr log = new CapturedErr();

    private final AtomicInteger stepCount = new AtomicInteger();

    @Test
    void step_thatFails_isLoggedAndFollowedByAnother() {
        var thread =
                new RepairThread(
                        "mending",
                        () -> {
                            if (stepCount.incrementAndGet() == 1) {
                                throw new IllegalStateException("made by the test");
                            }
                            new CountDownLatch(1).await();
                        });
        thread.start();
        Deadline.in(Duration.ofSeconds(20)).await("a second step", () -> stepCount.get() == 2);
        thread.close();

        assertThat(log.toString()).contains("mending failed, and continues").contains("made by");
    }

    /** As the storage does while the thread waits for a flush or a merge. */
    @Test
    void close_duringAStepThatFailsWhenInterrupted_isOrderlyAndLogsNothing() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        var thread =
                new RepairThread(
                        "mending",
                        () -> {
                            stepCount.incrementAndGet();
                            begun.countDown();
                            try {
                                new CountDownLatch(1).await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                                throw new StorageException("interrupted", e);
                            }
                        });
        thread.start();
        begun.await();
        thread.close();

        assertThat(stepCount).hasValue(1);
        assertThat(log.toString()).isEmpty();
    }
}
