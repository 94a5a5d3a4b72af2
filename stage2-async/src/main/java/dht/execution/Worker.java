package dht.execution;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread of a {@link WorkerPool}: does one task after another, and sleeps when there is none.
 *
 * <p>No wake-up is lost: it says that it sleeps before it looks at the queue for the last time, and
 * who brings a task puts it into the queue before looking who sleeps.
 */
final class Worker {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

    private final WorkerPool pool;
    private final Thread thread;
    private final AtomicBoolean asleep = new AtomicBoolean();

    Worker(String name, WorkerPool pool) {
        this.pool = pool;
        this.thread = Thread.ofPlatform().name(name).unstarted(this::work);
    }

    void start() {
        thread.start();
    }

    private void work() {
        boolean resumedFirst = false;
        while (true) {
            boolean isStopping = pool.isStopping(); // Before the look that finds nothing.
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
            return pool.runNext(resumedFirst);
        } catch (Throwable e) { // Against its promise; the next task isn't to blame.
            LOG.error("a task failed", e);
            return true;
        }
    }

    private void sleep() {
        asleep.set(true);
        if (pool.hasWork() || pool.isStopping()) {
            asleep.set(false);
        }
        while (asleep.get()) {
            LockSupport.park(pool);
        }
    }

    /** Wakes it, if it sleeps. */
    boolean wake() {
        if (asleep.get() && asleep.compareAndSet(true, false)) {
            LockSupport.unpark(thread);
            return true;
        }
        return false;
    }

    boolean isAwake() {
        return !asleep.get();
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
