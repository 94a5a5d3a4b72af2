package dht.replication;

import dht.http.HttpServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How many writes are answered and still ask one replica after the other. A node that stops waits
 * for them before it closes what they ask. Thread-safe.
 */
public final class LateWrites {
    // Guarded by this.
    private int count;

    synchronized void begin() {
        count++;
    }

    synchronized void end() {
        count--;
        notifyAll();
    }

    /**
     * Stops the server and waits until there are none, all within one timeout: a write that was
     * answered may have copies left to make, so what makes them is closed afterwards.
     *
     * @param drainTimeout of the server
     */
    public void drain(HttpServer server, Duration drainTimeout) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + drainTimeout.toNanos();
        server.stop();
        awaitNone(deadlineNanos);
    }

    /** Waits until there are none, or until the deadline. */
    public synchronized void awaitNone(long deadlineNanos) throws InterruptedException {
        long restNanos = deadlineNanos - System.nanoTime();
        while (count > 0 && restNanos > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, restNanos);
            restNanos = deadlineNanos - System.nanoTime();
        }
    }
}
