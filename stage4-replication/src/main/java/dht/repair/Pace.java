package dht.repair;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Spaces what is done so that no more than a certain number is done in a second. What was too late
 * is made up for, but no more than a twentieth of a second of it.
 *
 * <p>For one thread at a time.
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

    /** Takes the next turn, and says for how long to wait until it comes. */
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
