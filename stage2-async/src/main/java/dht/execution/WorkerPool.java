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
 * A fixed number of threads with a bounded queue. A request is rejected if the queue has no room,
 * or if it has waited too long when a worker takes it.
 *
 * <p>All threads start with the pool. A worker does not sleep while it finds tasks, and the thread
 * that brings a task wakes a worker only if one sleeps. So under load, when each wake-up would cost
 * most, there are no wake-ups. A worker that was woken needs a moment to take its task. So in a
 * burst, a request may be rejected although a woken worker is about to take a task.
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

    // Each becomes true once, in this order.
    private volatile boolean stopping;
    private volatile boolean stopped;

    WorkerPool(
            String threadName,
            TaskQueue.Order order,
            ExecutionOptions options,
            LongSupplier nanoClock) {
        this(
                threadName,
                new TaskQueue(order, options.queueLengthMax(), options.queueDeadline().toNanos()),
                options,
                nanoClock,
                Thread.ofPlatform().factory());
    }

    /**
     * The same, for tests that follow each step.
     *
     * @param queue an empty queue
     * @param threads creates the threads of the workers
     */
    WorkerPool(
            String threadName,
            TaskQueue queue,
            ExecutionOptions options,
            LongSupplier nanoClock,
            ThreadFactory threads) {
        this.nanoClock = nanoClock;
        this.drainTimeout = options.drainTimeout();
        this.rejections = new Rejections(nanoClock.getAsLong());
        this.queue = queue;
        this.workers =
                IntStream.rangeClosed(1, options.workerCount())
                        .mapToObj(number -> new Worker(threadName + "-" + number, this, threads))
                        .toArray(Worker[]::new);
        try {
            for (Worker worker : workers) {
                worker.start();
            }
        } catch (Throwable e) {
            // There is no memory for a thread: stop the threads that have already started.
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
        announce(); // Before the rejection, which takes time. May wake a worker for nothing.
        if (rejected != null) {
            rejections.refuse(rejected.task(), Cause.FULL, nowNanos);
        }
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
        if (stopped) { // close() may already have emptied the queue for the last time.
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

    /**
     * Lets the workers execute the waiting tasks for at most the drain timeout, then rejects the
     * rest. A worker that is still busy is not interrupted. Does not wait if the caller is
     * interrupted.
     */
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
            if (worker.isAlive()) { // Not interrupted: that could close files of the storage.
                LOG.error("{} did not end within {} of the stop", worker, drainTimeout);
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
