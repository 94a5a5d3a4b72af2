package dht.execution;

import dht.execution.Rejections.Cause;
import dht.http.ErrorLog;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs each task on a virtual thread. The number of requests is limited to the number that a {@link
 * WorkerPool} would execute or let wait. As many threads run at the same time as the machine has
 * processors; the others wait in the scheduler of the JVM, which runs the oldest next.
 *
 * <p>Thread-safe.
 */
final class VirtualThreads implements CountedExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(VirtualThreads.class);
    private static final long LOOK_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final LongSupplier nanoClock;
    private final ThreadFactory threads;
    private final long requestCountMax; // A sum of two ints.
    private final long queueDeadlineNanos;
    private final Duration drainTimeout;
    private final Rejections rejections;

    /** The number of requests that wait or are in execution; resumed tasks do not count. */
    private final AtomicInteger taken = new AtomicInteger();

    /** The number of tasks that have begun. A task is counted before its thread claims it. */
    private final AtomicInteger begun = new AtomicInteger();

    /**
     * The number of tasks that nobody has claimed. A task is counted before it enters {@code
     * waiting}. The size of that set can't be used: it is wrong after the set ran out of memory.
     */
    private final AtomicInteger waitingCount = new AtomicInteger();

    /** Tasks whose threads have not begun. */
    private final Set<Turn> waiting;

    // Each becomes true once, in this order.
    private volatile boolean stopping;
    private volatile boolean stopped;

    VirtualThreads(ExecutionOptions options, LongSupplier nanoClock) {
        this(options, nanoClock, Thread.ofVirtual().name("worker-virtual").factory());
    }

    VirtualThreads(ExecutionOptions options, LongSupplier nanoClock, ThreadFactory threads) {
        this(options, nanoClock, threads, ConcurrentHashMap.newKeySet());
    }

    /**
     * @param waiting an empty set, which is thread-safe
     */
    VirtualThreads(
            ExecutionOptions options,
            LongSupplier nanoClock,
            ThreadFactory threads,
            Set<Turn> waiting) {
        this.waiting = waiting;
        this.nanoClock = nanoClock;
        this.threads = threads;
        this.requestCountMax = (long) options.workerCount() + options.queueLengthMax();
        this.queueDeadlineNanos = options.queueDeadline().toNanos();
        this.drainTimeout = options.drainTimeout();
        this.rejections = new Rejections(nanoClock.getAsLong());
    }

    @Override
    public void execute(Task task) {
        long nowNanos = nanoClock.getAsLong();
        Turn turn = new Turn(task, nowNanos, true);
        if (stopping) {
            rejections.refuse(task, Cause.STOPPING, nowNanos);
        } else if (taken.incrementAndGet() > requestCountMax) {
            taken.decrementAndGet();
            rejections.refuse(task, Cause.FULL, nowNanos);
        } else {
            start(turn);
        }
    }

    @Override
    public void resume(Task task) {
        start(new Turn(task, nanoClock.getAsLong(), false));
    }

    private void start(Turn turn) {
        waitingCount.incrementAndGet();
        try {
            waiting.add(turn);
            threads.newThread(turn).start();
        } catch (Throwable e) {
            // In most cases memory has run out, so there is no room for this task.
            refuse(turn, Cause.FULL);
        }
        if (stopped) { // close() may already have looked at the waiting tasks.
            refuse(turn, Cause.STOPPING);
        }
    }

    private void refuse(Turn turn, Cause cause) {
        if (turn.claim()) {
            turn.leave();
            rejections.refuse(turn.task, cause, nanoClock.getAsLong());
        }
    }

    /** A task that waits for its thread, and the code of this thread. */
    final class Turn implements Runnable {
        private final AtomicBoolean claimed = new AtomicBoolean();
        private final Task task;
        private final long sinceNanos;
        private final boolean isRequest;

        Turn(Task task, long sinceNanos, boolean isRequest) {
            this.task = task;
            this.sinceNanos = sinceNanos;
            this.isRequest = isRequest;
        }

        @Override
        public void run() {
            begun.incrementAndGet();
            if (claim()) {
                try {
                    runInTime();
                } catch (Throwable e) { // A task promises not to throw.
                    ErrorLog.log(LOG, "a task failed", e);
                } finally {
                    leave();
                }
            }
            begun.decrementAndGet();
        }

        /** Returns true once: this caller must run the task or reject it. Throws nothing. */
        private boolean claim() {
            boolean isFirst = claimed.compareAndSet(false, true);
            if (isFirst) {
                try {
                    waiting.remove(this);
                } catch (OutOfMemoryError _) { // The set could not count down.
                }
                waitingCount.decrementAndGet();
            }
            return isFirst;
        }

        private void leave() {
            if (isRequest) {
                taken.decrementAndGet();
            }
        }

        private void runInTime() {
            long nowNanos = nanoClock.getAsLong();
            if (stopped) { // Accepted while close() rejected the waiting tasks.
                rejections.refuse(task, Cause.STOPPING, nowNanos);
            } else if (isRequest && nowNanos - sinceNanos > queueDeadlineNanos) {
                rejections.refuse(task, Cause.DEADLINE, nowNanos);
            } else {
                task.run();
            }
        }
    }

    @Override
    public int queuedCount() {
        return (int) waiting.stream().filter(turn -> turn.isRequest).count();
    }

    @Override
    public int inFlightCount() {
        return begun.get();
    }

    @Override
    public Rejections rejections() {
        return rejections;
    }

    /**
     * Lets accepted tasks end, for at most the drain timeout, and then rejects those that have not
     * begun. Tasks that still run are not interrupted.
     */
    @Override
    public void close() {
        stopping = true;
        long deadlineNanos = System.nanoTime() + drainTimeout.toNanos();
        awaitIdle(deadlineNanos);
        stopped = true;
        waiting.forEach(turn -> refuse(turn, Cause.STOPPING));
        awaitIdle(deadlineNanos); // A task may have begun just before.
        if (begun.get() > 0) {
            LOG.error("tasks did not end within {}: count={}", drainTimeout, begun.get());
        }
    }

    private void awaitIdle(long deadlineNanos) {
        while (isBusy() && System.nanoTime() - deadlineNanos < 0) {
            LockSupport.parkNanos(LOOK_PAUSE_NANOS);
        }
    }

    private boolean isBusy() {
        return waitingCount.get() > 0 || begun.get() > 0; // In this order no task is missed.
    }
}
