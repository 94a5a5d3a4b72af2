package dht.peer.async;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Things that something is to be done about if they are not over in time. They come in about the
 * order in which they are due, so a queue will do, and one look at its head now and then: a timer
 * for each would cost more than most of what it watches over.
 *
 * <p>What is due much later than the others goes through the queue several times, so that nobody
 * waits behind it; it may be told late by once.
 *
 * <p>Thread-safe.
 */
public final class TimeoutQueue {
    /** What is not over yet. */
    public interface Pending {
        boolean isOver();

        /** It is not over, and it is time. Must neither block nor throw. */
        void due();
    }

    /**
     * @param turnNanos when it is through the queue
     */
    private record Entry(Pending pending, long turnNanos, long dueNanos) {}

    private static final Logger LOG = LoggerFactory.getLogger(TimeoutQueue.class);

    private final ScheduledExecutorService executor;
    private final long turnNanosMax;
    private final long pauseNanosMax;
    private final LongSupplier nanoClock;
    private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean looking = new AtomicBoolean();

    /**
     * @param executor where it looks, and tells what is due
     * @param turnNanosMax of the delays for which most are added; longer ones take several turns
     * @param pauseNanosMax between two looks, so that what is over doesn't pile up
     * @param nanoClock such as {@link System#nanoTime}
     */
    public TimeoutQueue(
            ScheduledExecutorService executor,
            long turnNanosMax,
            long pauseNanosMax,
            LongSupplier nanoClock) {
        this.executor = executor;
        this.turnNanosMax = turnNanosMax;
        this.pauseNanosMax = pauseNanosMax;
        this.nanoClock = nanoClock;
    }

    /** Watches over something. */
    public void add(Pending pending, long delayNanos) {
        long nowNanos = nanoClock.getAsLong();
        enqueue(pending, nowNanos + delayNanos, nowNanos);
        if (!looking.get() && looking.compareAndSet(false, true)) {
            lookIn(Math.min(delayNanos, pauseNanosMax));
        }
    }

    private void enqueue(Pending pending, long dueNanos, long nowNanos) {
        long turnNanos = nowNanos + Math.min(dueNanos - nowNanos, turnNanosMax);
        entries.add(new Entry(pending, turnNanos, dueNanos));
    }

    private void lookIn(long nanos) {
        try {
            executor.schedule(this::look, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            looking.set(false); // It has been closed; nobody waits for what is left.
        } catch (OutOfMemoryError e) {
            LOG.error("no memory to look what is over its time: it waits for what comes next", e);
            looking.set(false);
        }
    }

    private void look() {
        try {
            takeTurns(nanoClock.getAsLong());
        } catch (RuntimeException | Error e) { // Against its promise; the others are due as well.
            LOG.error("what is over its time could not be told", e);
        }
        Entry head = entries.peek();
        if (head != null) {
            lookIn(Math.min(head.turnNanos() - nanoClock.getAsLong(), pauseNanosMax));
            return;
        }
        looking.set(false);
        boolean hasMissedOne = !entries.isEmpty() && looking.compareAndSet(false, true);
        if (hasMissedOne) {
            lookIn(0);
        }
    }

    private void takeTurns(long nowNanos) {
        Entry head = entries.peek();
        while (head != null && (head.pending().isOver() || head.turnNanos() - nowNanos <= 0)) {
            entries.poll();
            takeTurn(head, nowNanos);
            head = entries.peek();
        }
    }

    private void takeTurn(Entry entry, long nowNanos) {
        if (entry.pending().isOver()) {
            return;
        }
        if (entry.dueNanos() - nowNanos > 0) {
            enqueue(entry.pending(), entry.dueNanos(), nowNanos);
        } else {
            entry.pending().due();
        }
    }
}
