package dht.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that heals in the background, one step after another. A step waits until there is
 * something to do. Only {@link #close} ends the thread: after a step that has failed, as for want
 * of memory, it goes on a little later.
 *
 * <p>Thread-safe.
 */
final class RepairThread implements AutoCloseable {
    /** Does the next thing that there is to do; waits for it first. */
    @FunctionalInterface
    interface Step {
        void run() throws InterruptedException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(RepairThread.class);
    private static final long RETRY_MILLIS = 500;

    private final Step step;
    private final Thread thread;

    @GuardedBy("this")
    private boolean isClosed;

    RepairThread(String name, Step step) {
        this.step = step;
        this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::runUntilClosed);
    }

    void start() {
        thread.start();
    }

    private void runUntilClosed() {
        while (!isClosed()) {
            try {
                tryStep();
            } catch (InterruptedException e) {
                LOG.trace("{} is interrupted: it is closed", thread.getName());
            }
        }
    }

    private void tryStep() throws InterruptedException {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            log(e);
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        }
    }

    private void log(Throwable failure) {
        try {
            LOG.error("{} failed, and goes on", thread.getName(), failure);
        } catch (OutOfMemoryError _) {
            // The next step tells, if it fails too.
        }
    }

    private synchronized boolean isClosed() {
        return isClosed;
    }

    /** Ends the thread; a step that waits is given up. */
    @Override
    public void close() {
        synchronized (this) {
            isClosed = true;
        }
        thread.interrupt();
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
