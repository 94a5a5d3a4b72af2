package dht.execution;

import dht.http.ErrorLog;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread of a {@link WorkerPool}. It executes one task after another, and sleeps when there is
 * none.
 *
 * <p>No wake-up is lost, because both threads keep an order. The worker first sets {@code asleep},
 * then looks at the queue once more. The thread that brings a task first puts the task into the
 * queue, then looks for a worker that is asleep. So at least one of them notices the other.
 *
 * <p>Thread-safe.
 */
final class Worker {
    /** The source of the worker's tasks. */
    interface Source {
        /**
         * Executes the next task.
         *
         * @param resumedFirst whether tasks that continue work come before requests
         * @return false if there is no task
         */
        boolean runNext(boolean resumedFirst);

        boolean hasWork();

        /** Whether the worker should end when there are no more tasks. */
        boolean isStopping();
    }

    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

    private final Source source;
    private final Thread thread;
    private final AtomicBoolean asleep = new AtomicBoolean();

    /**
     * @param threads creates the worker's thread, which {@link #start} starts
     */
    Worker(String name, Source source, ThreadFactory threads) {
        this.source = source;
        this.thread = threads.newThread(this::work);
        thread.setName(name);
    }

    void start() {
        thread.start();
    }

    private void work() {
        boolean resumedFirst = false;
        while (true) {
            // Read before the queue, so that a task that came before the stop is still found.
            boolean isStopping = source.isStopping();
            resumedFirst = !resumedFirst;
            if (!runNext(resumedFirst)) {
                if (isStopping) {
                    return;
                }
                sleep();
            }
        }
    }

    private boolean runNext(boolean resumedFirst) {
        try {
            return source.runNext(resumedFirst);
        } catch (Throwable e) {
            // A task promises not to throw. The next task must still be executed.
            ErrorLog.log(LOG, "a task failed", e);
            return true;
        }
    }

    private void sleep() {
        asleep.set(true);
        if (source.hasWork() || source.isStopping()) {
            asleep.set(false);
        }
        while (asleep.get()) {
            LockSupport.park(source);
        }
    }

    /** Wakes the worker if it sleeps; returns whether it slept. */
    boolean wake() {
        if (asleep.get() && asleep.compareAndSet(true, false)) {
            LockSupport.unpark(thread);
            return true;
        }
        return false;
    }

    /** Whether the worker executes a task, or looks for one. */
    boolean isAwake() {
        return thread.isAlive() && !asleep.get();
    }

    boolean isAlive() {
        return thread.isAlive();
    }

    void awaitEnd(long deadlineNanos) {
        try {
            TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, deadlineNanos - System.nanoTime()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return thread.getName();
    }
}
