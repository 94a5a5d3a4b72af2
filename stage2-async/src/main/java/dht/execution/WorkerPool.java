package dht.execution;

import dht.execution.Rejections.Cause;
import dht.execution.TaskQueue.Waiting;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A fixed number of threads and a bounded queue before them. What finds no room, or has waited for
 * too long when a worker takes it, is refused.
 *
 * <p>The threads are there from the start. One that finds more to do doesn't sleep, and who brings
 * a task wakes one only if one sleeps: so under load, when every wake-up would cost the most, there
 * are none.
 *
 * <p>Thread-safe.
 */
final class WorkerPool implements CountedExecutor, Worker.Source {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerPool.class);

    private final LongSupplier nanoClock;
    private final Duration drainTimeout;
    private final Rejections rejections;
    private final TaskQueue queue;
    private final Worker[] workers;

    // Turn true once, in this order.
    private volatile boolean stopping;
    private volatile boolean stopped;

    WorkerPool(
            String threadName,
            TaskQueue.Order order,
            ExecutionOptions options,
            LongSupplier nanoClock) {
        this(threadName, order, options, nanoClock, Thread.ofPlatform().factory());
    }

    WorkerPool(
            String threadName,
            TaskQueue.Order order,
            ExecutionOptions options,
            LongSupplier nanoClock,
            ThreadFactory threads) {
        this.nanoClock = nanoClock;
        this.drainTimeout = options.drainTimeout();
        this.rejections = new Rejections(nanoClock.getAsLong());
        this.queue =
                new TaskQueue(order, options.queueLengthMax(), options.queueDeadline().toNanos());
        this.workers =
                IntStream.rangeClosed(1, options.workerCount())
                        .mapToObj(number -> new Worker(threadName + "-" + number, this, threads))
                        .toArray(Worker[]::new);
        try {
            for (Worker worker : workers) {
                worker.start();
            }
        } catch (Throwable e) { // No memory for a thread: those before it must not stay behind.
            close();
            throw e;
        }
    }

    @Override
    public void execute(Task task) {
        long nowNanos = nanoClock.getAsLong();
        if (stopping) {
            rejections.refuse(task, Cause.STOPPING, nowNanos);
            return;
        }
        Waiting rejected = queue.put(task, nowNanos);
        if (rejected != null) {
            rejections.refuse(rejected.task(), Cause.FULL, nowNanos);
        }
        announce(); // In vain if it was this task: where the queue is full, all are awake.
    }

    @Override
    public void resume(Task task) {
        queue.putResumed(task, nanoClock.getAsLong());
        announce();
    }

    private void announce() {
        for (Worker worker : workers) {
            if (worker.wake()) {
                break;
            }
        }
        if (stopped) { // After the last look of close(), perhaps.
            refuseAll();
        }
    }

    @Override
    public boolean runNext(boolean resumedFirst) {
        long nowNanos = nanoClock.getAsLong();
        Waiting next = queue.take(resumedFirst, nowNanos);
        if (next == null) {
            return false;
        }
        if (queue.isOverdue(next, nowNanos)) {
            rejections.refuse(next.task(), Cause.DEADLINE, nowNanos);
        } else {
            next.task().run();
        }
        return true;
    }

    @Override
    public boolean hasWork() {
        return !queue.isEmpty();
    }

    @Override
    public boolean isStopping() {
        return stopping;
    }

    @Override
    public int queuedCount() {
        return queue.length();
    }

    @Override
    public int inFlightCount() {
        return (int) Arrays.stream(workers).filter(Worker::isAwake).count();
    }

    @Override
    public Rejections rejections() {
        return rejections;
    }

    /** Lets the workers finish what waits, as far as the deadline allows; refuses the rest. */
    @Override
    public void close() {
        stopping = true;
        long deadlineNanos = System.nanoTime() + drainTimeout.toNanos();
        for (Worker worker : workers) {
            worker.wake();
        }
        for (Worker worker : workers) {
            worker.awaitEnd(deadlineNanos);
        }
        stopped = true;
        refuseAll();
        for (Worker worker : workers) {
            if (worker.isAlive()) { // Interrupting it could close files under the storage.
                LOG.error("{} did not end: it has been busy for {}", worker, drainTimeout);
            }
        }
    }

    private void refuseAll() {
        long nowNanos = nanoClock.getAsLong();
        for (Waiting rest; (rest = queue.take(true, nowNanos)) != null; ) {
            rejections.refuse(rest.task(), Cause.STOPPING, nowNanos);
        }
    }
}
