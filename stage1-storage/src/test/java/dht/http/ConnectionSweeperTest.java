package dht.http;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.concurrent.Deadline;
import java.time.Duration;
import java.util.AbstractSet;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionSweeperTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);

    /** No connections; but to look for them takes until the test ends it. */
    private final class SlowSet extends AbstractSet<HttpSession> {
        @Override
        public Iterator<HttpSession> iterator() {
            begun.countDown();
            Deadline.in(PATIENCE).await("the end of the check", end);
            return Collections.emptyIterator();
        }

        @Override
        public int size() {
            return 0;
        }
    }

    /** Otherwise the check could use a selector that the server has closed meanwhile. */
    @Test
    void stop_duringACheck_waitsForItsEnd() throws InterruptedException {
        ConnectionSweeper sweeper =
                new ConnectionSweeper(
                        new SlowSet(), new MemoryBudget(1), new Failures(System::nanoTime));
        sweeper.start();
        Deadline.in(PATIENCE).await("a check", begun);
        Thread stopping = Thread.ofPlatform().start(sweeper::stop);
        Deadline.in(PATIENCE)
                .await(
                        "the stop to wait, or to end",
                        () ->
                                stopping.getState() == Thread.State.TIMED_WAITING
                                        || !stopping.isAlive());
        boolean isWaiting = stopping.isAlive();
        end.countDown();
        stopping.join();

        assertThat(isWaiting).isTrue();
    }
}
