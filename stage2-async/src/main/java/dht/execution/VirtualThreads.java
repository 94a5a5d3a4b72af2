package dht.execution;

import dht.execution.Rejections.Cause;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A virtual thread for each task, and at most as many at a time as a {@link WorkerPool} would work
 * on or let wait. As many run at once as the machine has processors; the others wait in the JVM's
 * scheduler, where the oldest is next.
 *
 * <p>Thread-safe.
 */
final class VirtualThreads implements CountedExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(VirtualThreads.class);
    private static final long LOOK_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final LongSupplier nanoClock;
    private final int requestCountMax;
    private final long queueDeadlineNanos;
    private final Duration drainTimeout;
    private final Rejections rejections;
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger begun = new AtomicInteger();
    private volatile boolean stopping;

    VirtualThreads(ExecutionOptions options, LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.requestCountMax = options.workerCount() + options.queueLengthMax();
        this.queueDeadlineNanos = options.queueDeadline().toNanos();
        this.drainTimeout = options.drainTimeout();
        this.rejections = new Rejections(nanoClock.getAsLong());
    }

    @Override
    public void execute(Task task) {
        long nowNanos = nanoClock.getAsLong();
        if (stopping) {
            rejections.refuse(task, Cause.STOPPING, nowNanos);
        } else if (taken.incrementAndGet() > requestCountMax) {
            taken.decrementAndGet();
            rejections.refuse(task, Cause.FULL, nowNanos);
        } else {
            start(() -> runInTime(task, nowNanos));
        }
    }

    @Override
    public void resume(Task task) {
        taken.incrementAndGet();
        start(task::run);
    }

    private void start(Runnable work) {
        Thread.ofVirtual()
                .name("worker-virtual")
                .start(
                        () -> {
                            begun.incrementAndGet();
                            try {
                                work.run();
                            } catch (Throwable e) { // Against its promise.
                                LOG.error("a task failed", e);
                            } finally {
                                begun.decrementAndGet();
                                taken.decrementAndGet();
                            }
                        });
    }

    private void runInTime(Task task, long sinceNanos) {
        long nowNanos = nanoClock.getAsLong();
        if (nowNanos - sinceNanos > queueDeadlineNanos) {
            rejections.refuse(task, Cause.DEADLINE, nowNanos);
        } else {
            task.run();
        }
    }

    @Override
    public int queuedCount() {
        return Math.max(0, taken.get() - begun.get());
    }

    @Override
    public int inFlightCount() {
        return begun.get();
    }

    @Override
    public Rejections rejections() {
        return rejections;
    }

    /** Lets what was taken end, as far as the deadline allows. */
    @Override
    public void close() {
        stopping = true;
        long deadlineNanos = System.nanoTime() + drainTimeout.toNanos();
        while (taken.get() > 0 && System.nanoTime() < deadlineNanos) {
            LockSupport.parkNanos(LOOK_PAUSE_NANOS);
        }
        if (taken.get() > 0) {
            LOG.error("tasks did not end within {}: count={}", drainTimeout, taken.get());
        }
    }
}
