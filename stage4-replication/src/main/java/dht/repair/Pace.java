package dht.repair;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A rate limiter: allows at most a given number of turns per second, at even intervals. If the
 * caller was slow, its next turns come without a wait. In this way it can catch up by at most 50
 * milliseconds.
 *
 * <p>Used by one thread at a time.
 */
final class Pace {
    private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final long intervalNanos;
    private final LongSupplier nanoClock;
    private long nextNanos;

    Pace(int perSecond, LongSupplier nanoClock) {
        this.intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
        this.nanoClock = nanoClock;
        this.nextNanos = nanoClock.getAsLong();
    }

    /** Takes the next turn, and returns how long to wait for it. */
    long takeTurnNanos() {
        long nowNanos = nanoClock.getAsLong();
        if (nowNanos - nextNanos > BURST_NANOS) {
            nextNanos = nowNanos - BURST_NANOS;
        }
        long waitNanos = Math.max(0, nextNanos - nowNanos);
        nextNanos += intervalNanos;
        return waitNanos;
    }

    /** Waits for the next turn. */
    void awaitTurn() throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(takeTurnNanos());
    }
}
