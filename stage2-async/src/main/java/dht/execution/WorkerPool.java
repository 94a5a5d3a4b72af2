package dht.execution;

import dht.execution.Rejections.Cause;
import dht.execution.TaskQueue.Waiting;
import java.time.Duration;
import java.util.Arrays;
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
final class WorkerPool implements CountedExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerPool.class);

    /** When so many tasks wait for each worker, who brings them makes way. */
    private static final int BACKLOG_PER_WORKER = 8;

    /** From one making way to the next: so short that workers are not behind by much more. */
    private static final long MAKING_WAY_PAUSE_NANOS = 200_000;

    /** When so many tasks wait for each worker, it is an overload and will last. */
    private static final int OVERLOAD_PER_WORKER = 64;

    /** The same under overload, when a selector that makes way comes back milliseconds later. */
    private static final long OVERLOAD_PAUSE_NANOS = 3_000_000;

    /** From the last refusal to making way. */
    private static final long REFUSAL_PAUSE_NANOS = 1_000_000_000;

    private final LongSupplier nanoClock;
    private final Duration drainTimeout;
    private final Rejections rejections;
    private final TaskQueue queue;
    private final Worker[] workers;

    /** Not before then. Racy on purpose: two that make way at a time do no harm. */
    private long mayMakeWayNanos;

    // Turn true once, in this order.
    private volatile boolean stopping;
    private volatile boolean stopped;

    WorkerPool(
            String threadName,
            TaskQueue.Order order,
            ExecutionOptions options,
            LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.mayMakeWayNanos = nanoClock.getAsLong();
        this.drainTimeout = options.drainTimeout();
        this.rejections = new Rejections(nanoClock.getAsLong());
        this.queue =
                new TaskQueue(order, options.queueLengthMax(), options.queueDeadline().toNanos());
        this.workers =
                IntStream.rangeClosed(1, options.workerCount())
                        .mapToObj(number -> new Worker(threadName + "-" + number, this))
                        .toArray(Worker[]::new);
        for (Worker worker : workers) {
            worker.start();
        }
    }

    @Override
    public void execute(Task task) {
        long nowNanos = nanoClock.getAsLong();
        if (stopping) {
            rejections.refuse(task, Cause.STOPPING, nowNanos);
            return;
        }
        Waiting outcast = queue.put(task, nowNanos);
        if (outcast != null) {
            mayMakeWayNanos = nowNanos + REFUSAL_PAUSE_NANOS;
            rejections.refuse(outcast.task(), Cause.FULL, nowNanos);
        }
        if (outcast == null || outcast.task() != task) {
            announce();
            makeWay(nowNanos);
        }
    }

    @Override
    public void resume(Task task) {
        queue.putResumed(task, nanoClock.getAsLong());
        announce();
    }

    /**
     * Lets workers run, if they are behind. A selector that goes on instead is woken for nearly
     * each answer by the request that follows it, and takes the processor from the worker each
     * time; if it comes back later, many requests are there at a time. Less often under overload:
     * then there is no end to what the workers have to do, and the status waits for a selector. Not
     * at all while requests are refused: it takes a selector to do that.
     */
    private void makeWay(long nowNanos) {
        int length = queue.length();
        if (length >= BACKLOG_PER_WORKER * workers.length && nowNanos - mayMakeWayNanos >= 0) {
            Thread.yield();
            boolean overload = length >= OVERLOAD_PER_WORKER * workers.length;
            mayMakeWayNanos =
                    nanoClock.getAsLong()
                            + (overload ? OVERLOAD_PAUSE_NANOS : MAKING_WAY_PAUSE_NANOS);
        }
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

    /** Does the next task, if there is one. */
    boolean runNext(boolean resumedFirst) {
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

    boolean hasWork() {
        return !queue.isEmpty();
    }

    boolean isStopping() {
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
