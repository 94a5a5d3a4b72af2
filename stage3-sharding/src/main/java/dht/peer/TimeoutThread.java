package dht.peer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that checks {@link TimeoutQueue}s, and sleeps while they are empty. An action that
 * throws does not end the thread.
 *
 * <p>Thread-safe.
 */
public final class TimeoutThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TimeoutThread.class);
    private static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final List<TimeoutQueue> queues = new CopyOnWriteArrayList<>();
    private final Thread thread;

    /** Whether an empty queue got an entry since the last check began. */
    @GuardedBy("this")
    private boolean checkRequested;

    @GuardedBy("this")
    private boolean closed;

    public TimeoutThread(String name) {
        thread = Thread.ofPlatform().daemon().name(name).start(this::run);
    }

    /**
     * Creates a queue for entries whose delays are about the same.
     *
     * @param usualDelayNanos the delay of most entries, greater than 0
     * @param pauseNanosMax the longest time between two checks while there are entries
     */
    public TimeoutQueue queue(long usualDelayNanos, long pauseNanosMax) {
        TimeoutQueue queue =
                new TimeoutQueue(this::wake, usualDelayNanos, pauseNanosMax, System::nanoTime);
        queues.add(queue);
        return queue;
    }

    private synchronized void wake() {
        checkRequested = true;
        notifyAll();
    }

    private void run() {
        long pauseNanos = Long.MAX_VALUE;
        while (awaitCheck(pauseNanos)) {
            try {
                pauseNanos = runDue();
            } catch (Throwable e) { // No memory for the log, or a bug: the thread goes on.
                pauseNanos = PAUSE_AFTER_FAILURE_NANOS;
            }
        }
    }

    private long runDue() {
        long pauseNanos = Long.MAX_VALUE;
        for (int i = 0; i < queues.size(); i++) { // An iterator would need memory.
            pauseNanos = Math.min(pauseNanos, queues.get(i).runDue());
        }
        return pauseNanos;
    }

    /** Waits until the next check is due. Returns false when this is closed. */
    private synchronized boolean awaitCheck(long pauseNanos) {
        try {
            if (!checkRequested && !closed && pauseNanos > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, pauseNanos);
            }
        } catch (InterruptedException e) {
            LOG.debug("nobody interrupts this thread", e);
        }
        checkRequested = false;
        return !closed;
    }

    /**
     * Whether the thread has ended. True after {@link #close}, unless its caller was interrupted.
     */
    public boolean hasEnded() {
        return !thread.isAlive();
    }

    /**
     * Ends the thread, and waits until its current action has returned. Entries that are still in
     * the queues never expire.
     */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
