package dht.peer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.http.ErrorLog;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs an action for each request that has not ended by its deadline. Most entries of one queue
 * have the same delay, so they are added roughly in the order of their deadlines. A linked list is
 * enough: from time to time, a thread checks the entries at its head. A timer per request would
 * cost more than most requests.
 *
 * <p>An entry with a longer delay must not stay at the head, because the entries behind it would
 * wait. So after the usual delay it is moved to the end of the list, until its deadline comes.
 *
 * <p>A check begins at the head, and stops at the first entry that has not ended and is not due. So
 * an entry behind it may be late: it may stay in the list for up to the usual delay after it has
 * ended, and its action may run up to the usual delay after its deadline.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Each entry is its own link of the list: {@link #add} allocates nothing, so it cannot fail.
 *   <li>While the list has entries, the {@link TimeoutThread} checks it every {@code pauseNanosMax}
 *       or more often. The first entry of an empty list wakes the thread.
 *   <li>An entry is in the list once at most.
 *   <li>An entry leaves the list when it has ended, or when its action has run. If an action fails
 *       because memory is exhausted, it runs again later.
 * </ol>
 *
 * <p>Thread-safe.
 */
public final class TimeoutQueue {
    /**
     * An entry with a deadline. It is in at most one queue at a time, and only once in that queue.
     */
    public abstract static class Timeout {
        /** The next entry in the list. Guarded by the queue. */
        private Timeout next;

        /**
         * From this time on, the entry is due. Never later than its deadline. Guarded by the queue.
         */
        private long checkNanos;

        /** Written before the entry is in the list, and by the thread that runs the actions. */
        private long deadlineNanos;

        /**
         * Whether the request has ended, so that no action is needed. Called while the queue is
         * locked: must not block or throw.
         */
        protected abstract boolean isOver();

        /**
         * The action: called when the deadline has passed and the entry has not ended. Must not
         * block. After an {@link OutOfMemoryError} it is called again.
         */
        protected abstract void expire();
    }

    private static final Logger LOG = LoggerFactory.getLogger(TimeoutQueue.class);

    private final Runnable waker;
    private final long usualDelayNanos;
    private final long pauseNanosMax;
    private final LongSupplier nanoClock;

    @GuardedBy("this")
    private Timeout head;

    @GuardedBy("this")
    private Timeout tail;

    /**
     * @param waker makes the {@link TimeoutThread} call {@link #runDue} soon
     * @param usualDelayNanos the delay of most entries, greater than 0; entries with a longer delay
     *     go through the queue several times
     * @param pauseNanosMax the longest time between two checks while the queue has entries
     * @param nanoClock such as {@link System#nanoTime}
     */
    public TimeoutQueue(
            Runnable waker, long usualDelayNanos, long pauseNanosMax, LongSupplier nanoClock) {
        this.waker = waker;
        this.usualDelayNanos = usualDelayNanos;
        this.pauseNanosMax = pauseNanosMax;
        this.nanoClock = nanoClock;
    }

    /**
     * Adds an entry. {@link Timeout#expire} is called after this delay, unless the entry has ended
     * before. The call may come late, by up to about the usual delay. Allocates nothing.
     */
    public void add(Timeout timeout, long delayNanos) {
        long nowNanos = nanoClock.getAsLong();
        timeout.deadlineNanos = nowNanos + delayNanos;
        if (append(timeout, nowNanos)) {
            waker.run();
        }
    }

    /**
     * Appends an entry, unless it is already in the queue: its action may have added it again
     * before the action failed. Returns whether the queue was empty.
     */
    private synchronized boolean append(Timeout timeout, long nowNanos) {
        if (timeout == tail || timeout.next != null) {
            return false;
        }
        timeout.checkNanos = nowNanos + Math.min(timeout.deadlineNanos - nowNanos, usualDelayNanos);
        boolean wasEmpty = head == null;
        if (wasEmpty) {
            head = timeout;
        } else {
            tail.next = timeout;
        }
        tail = timeout;
        return wasEmpty;
    }

    /**
     * Runs the actions of entries that are due. Called by one thread at a time.
     *
     * @return after how many nanoseconds to call this again; {@link Long#MAX_VALUE} while the queue
     *     is empty
     */
    public long runDue() {
        long nowNanos = nanoClock.getAsLong();
        Timeout next = poll(nowNanos);
        while (next != null) {
            checkEntry(next, nowNanos);
            next = poll(nowNanos);
        }
        return pauseNanos();
    }

    /** Removes and returns the head if it has ended or must be checked now; else returns null. */
    private synchronized Timeout poll(long nowNanos) {
        Timeout first = head;
        if (first == null || (!first.isOver() && first.checkNanos - nowNanos > 0)) {
            return null;
        }
        head = first.next;
        first.next = null;
        if (head == null) {
            tail = null;
        }
        return first;
    }

    private void checkEntry(Timeout timeout, long nowNanos) {
        if (timeout.isOver()) {
            return;
        }
        if (timeout.deadlineNanos - nowNanos > 0) {
            append(timeout, nowNanos);
            return;
        }
        try {
            timeout.expire();
        } catch (OutOfMemoryError e) {
            timeout.deadlineNanos = nowNanos + pauseNanosMax;
            append(timeout, nowNanos);
            ErrorLog.log(LOG, "no memory to end a request at its deadline: it is tried again", e);
        } catch (RuntimeException | Error e) {
            ErrorLog.log(LOG, "a request could not be ended at its deadline", e);
        }
    }

    private synchronized long pauseNanos() {
        return head == null
                ? Long.MAX_VALUE
                : Math.clamp(head.checkNanos - nanoClock.getAsLong(), 0, pauseNanosMax);
    }
}
