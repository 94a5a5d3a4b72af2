package dht.repair;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A rate limiter: allows at most a given number of turns per second, at even intervals. It can also
 * limit bytes. Then the caller takes one turn for each byte, after it has received the bytes. If
 * the caller was slow, its next turns come without a wait. In this way it can catch up by at most
 * 50 milliseconds.
 *
 * <p>Used by one thread at a time.
 */
final class RateLimiter {
    private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final long perSecond;
    private final LongSupplier nanoClock;
    private long nextNanos;

    /**
     * @param perSecond at least 1
     */
    RateLimiter(long perSecond, LongSupplier nanoClock) {
        this.perSecond = perSecond;
        this.nanoClock = nanoClock;
        this.nextNanos = nanoClock.getAsLong();
    }

    /** Takes the next turn, and returns how long to wait for it. */
    long takeTurnNanos() {
        return takeTurnsNanos(1);
    }

    /**
     * Takes the next turns, and returns how long to wait for the first of them.
     *
     * @param count from 0 to 2<sup>33</sup>
     */
    long takeTurnsNanos(long count) {
        long nowNanos = nanoClock.getAsLong();
        if (nowNanos - nextNanos > BURST_NANOS) {
            nextNanos = nowNanos - BURST_NANOS;
        }
        long waitNanos = Math.max(0, nextNanos - nowNanos);
        nextNanos += count * TimeUnit.SECONDS.toNanos(1) / perSecond;
        return waitNanos;
    }

    /** Waits for the next turn. */
    void awaitTurn() throws InterruptedException {
        awaitTurns(1);
    }

    /** Waits for the first of the next turns. */
    void awaitTurns(long count) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(takeTurnsNanos(count));
    }
}
