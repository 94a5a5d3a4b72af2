package dht.replication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.http.HttpServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Counts the writes that are already answered, but still copy the version to further replicas. A
 * node that stops waits for these copies before it closes its peers. Thread-safe.
 */
public final class RemainingCopies {
    @GuardedBy("this")
    private int count;

    synchronized void begin() {
        count++;
    }

    synchronized void end() {
        count--;
        notifyAll();
    }

    /**
     * Stops the server, and waits until no remaining copies are left, all within one timeout. The
     * peers must be closed afterwards, because remaining copies need them.
     *
     * @param drainTimeout the time for both steps
     */
    public void drain(HttpServer server, Duration drainTimeout) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + drainTimeout.toNanos();
        server.stop();
        awaitNone(deadlineNanos);
    }

    /** Waits until no remaining copies are left, or until the deadline. */
    public synchronized void awaitNone(long deadlineNanos) throws InterruptedException {
        long restNanos = deadlineNanos - System.nanoTime();
        while (count > 0 && restNanos > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, restNanos);
            restNanos = deadlineNanos - System.nanoTime();
        }
    }
}
