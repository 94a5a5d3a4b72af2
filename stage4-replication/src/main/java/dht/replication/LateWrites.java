package dht.replication;

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

    /** Waits until there are none, or until the deadline. */
    public synchronized void awaitNone(long deadlineNanos) throws InterruptedException {
        long restNanos = deadlineNanos - System.nanoTime();
        while (count > 0 && restNanos > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, restNanos);
            restNanos = deadlineNanos - System.nanoTime();
        }
    }
}
