package dht.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.http.ErrorLog;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A background thread for one part of healing. It runs one step after another; a step waits until
 * there is something to do. If a step fails, for example because memory is exhausted, the thread
 * continues after a pause. Only {@link #close} ends it.
 *
 * <p>Thread-safe.
 */
final class RepairThread implements AutoCloseable {
    /** Waits until there is something to do, and does it. */
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
            if (!isClosed()) { // Else it may have failed because it was interrupted.
                ErrorLog.log(LOG, "{} failed, and continues", thread.getName(), e);
            }
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        }
    }

    private synchronized boolean isClosed() {
        return isClosed;
    }

    /**
     * Ends the thread, and waits until it has ended. A step that waits is interrupted. If it waits
     * for a flush or a merge, the storage continues this work until the storage is closed.
     */
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
