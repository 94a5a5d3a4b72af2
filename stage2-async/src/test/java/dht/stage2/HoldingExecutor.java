package dht.stage2;

import dht.execution.CountedExecutor;
import dht.execution.Rejections;
import dht.http.Response;
import dht.testkit.concurrent.Deadline;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A pool whose workers can be blocked by the requests that they run. Thread-safe. */
final class HoldingExecutor implements CountedExecutor {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final CountedExecutor pool;
    private final Consumer<String> onEnd;
    private final Semaphore toHold = new Semaphore(0);
    private final AtomicInteger held = new AtomicInteger();
    private final CountDownLatch released = new CountDownLatch(1);

    /**
     * @param onEnd told when the pool is about to end, and when it has
     */
    HoldingExecutor(CountedExecutor pool, Consumer<String> onEnd) {
        this.pool = pool;
        this.onEnd = onEnd;
    }

    /** Has the next task hold its worker up. */
    void holdNext() {
        toHold.release();
    }

    void awaitHeld() {
        Deadline.in(PATIENCE).await("a worker is held up", () -> held.get() > 0);
    }

    void awaitQueued(int count) {
        Deadline.in(PATIENCE).await(count + " requests wait", () -> queuedCount() == count);
    }

    /** Lets go of all for good. */
    void release() {
        released.countDown();
    }

    @Override
    public void execute(Task task) {
        pool.execute(
                new Task() {
                    @Override
                    public void run() {
                        if (toHold.tryAcquire()) {
                            held.incrementAndGet();
                            Deadline.in(PATIENCE).await("the release", released);
                        }
                        task.run();
                    }

                    @Override
                    public void refuse(Response answer) {
                        task.refuse(answer);
                    }
                });
    }

    @Override
    public void resume(Task task) {
        pool.resume(task);
    }

    @Override
    public int queuedCount() {
        return pool.queuedCount();
    }

    @Override
    public int inFlightCount() {
        return pool.inFlightCount();
    }

    @Override
    public Rejections rejections() {
        return pool.rejections();
    }

    @Override
    public void close() {
        onEnd.accept("pool ends");
        pool.close();
        onEnd.accept("pool ended");
    }
}
