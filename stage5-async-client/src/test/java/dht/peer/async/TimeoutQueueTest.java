package dht.peer.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TimeoutQueueTest {
    private static final long LONG_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long DELAY_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(10);

    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1);
    private final TimeoutQueue queue =
            new TimeoutQueue(executor, DELAY_NANOS_MAX, 1_000_000, System::nanoTime);

    @AfterEach
    void end() {
        executor.shutdownNow();
    }

    private static final class Counted implements TimeoutQueue.Pending {
        private final CountDownLatch told = new CountDownLatch(1);
        private final AtomicInteger times = new AtomicInteger();
        private volatile boolean over;

        @Override
        public boolean isOver() {
            return over;
        }

        @Override
        public void due() {
            times.incrementAndGet();
            told.countDown();
        }
    }

    private static void await(Counted pending) throws InterruptedException {
        assertThat(pending.told.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void pending_whenItIsTime_isToldOnce() throws InterruptedException {
        List<Counted> all = IntStream.range(0, 1000).mapToObj(_ -> new Counted()).toList();
        for (Counted each : all) {
            queue.add(each, 1000);
        }
        for (Counted each : all) {
            await(each);
        }
        assertThat(all).allSatisfy(each -> assertThat(each.times).hasValue(1));
    }

    @Test
    void pending_thatIsOver_isForgottenAndHoldsUpNobody() throws InterruptedException {
        Counted first = new Counted();
        Counted second = new Counted();
        queue.add(first, LONG_NANOS);
        queue.add(second, 1);
        first.over = true;
        await(second);
        assertThat(first.times).hasValue(0);
    }

    @Test
    void pending_dueLaterThanOthers_holdsUpNobody() throws InterruptedException {
        Counted late = new Counted();
        Counted soon = new Counted();
        queue.add(late, LONG_NANOS);
        queue.add(soon, 1);
        await(soon);
        assertThat(late.times).hasValue(0);
    }

    @Test
    void pending_dueLaterThanOthers_isToldOnceAndNotBefore() throws InterruptedException {
        Counted late = new Counted();
        long begunNanos = System.nanoTime();
        queue.add(late, 10 * DELAY_NANOS_MAX);
        await(late);
        assertThat(System.nanoTime() - begunNanos).isGreaterThanOrEqualTo(10 * DELAY_NANOS_MAX);
        Counted next = new Counted();
        queue.add(next, DELAY_NANOS_MAX);
        await(next);
        assertThat(late.times).hasValue(1);
    }

    @Test
    void pending_behindOneThatThrows_isTold() throws InterruptedException {
        queue.add(new Throwing(new IllegalStateException("due() must not throw")), 1);
        queue.add(new Throwing(new StackOverflowError()), 1);
        Counted behind = new Counted();
        queue.add(behind, 1);
        await(behind);
    }

    @Test
    void pending_whenThereWasNoMemoryToLookAgain_isToldWithTheNext() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        CountDownLatch outOfMemory = new CountDownLatch(1);
        var poor =
                new ScheduledThreadPoolExecutor(1) {
                    @Override
                    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
                        if (looks.incrementAndGet() == 2) {
                            outOfMemory.countDown();
                            throw new OutOfMemoryError("made by the test");
                        }
                        return super.schedule(task, delay, unit);
                    }
                };
        try (poor) {
            var queue = new TimeoutQueue(poor, DELAY_NANOS_MAX, 1_000_000, System::nanoTime);
            Counted first = new Counted();
            queue.add(first, DELAY_NANOS_MAX);
            assertThat(outOfMemory.await(20, TimeUnit.SECONDS)).isTrue();
            poor.submit(() -> {}).get(); // Its only thread is done with that.
            Counted second = new Counted();
            queue.add(second, 1);
            await(second);
            await(first);
        }
    }

    private record Throwing(Throwable thrown) implements TimeoutQueue.Pending {
        @Override
        public boolean isOver() {
            return false;
        }

        @Override
        public void due() {
            if (thrown instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) thrown;
        }
    }

    @Test
    void pending_afterTheQueueWasEmpty_isWatchedOver() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            Counted each = new Counted();
            queue.add(each, i % 2);
            await(each);
        }
    }

    @Test
    void add_whenItsThreadHasEnded_throwsNothing() {
        executor.shutdownNow();
        queue.add(new Counted(), 1);
    }
}
