package dht.storage.lsm;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Has work in the background rest now and then, so that it takes a quarter of a processor instead
 * of all of it, and those who wait for answers get the others; unless somebody waits for the work.
 *
 * <p>Used by the thread that does the work; {@link #beginHurry} and {@link #endHurry} by any.
 */
final class Throttle {
    private static final int REST_PER_WORK = 3;

    /** Whoever begins to wait for the work waits for a rest no longer than that. */
    static final long REST_NANOS_MAX = 20_000_000;

    private final LongSupplier nanoClock;
    private final LongConsumer rest;
    private final AtomicInteger hurries = new AtomicInteger();
    private long begunNanos;

    Throttle() {
        this(System::nanoTime, LockSupport::parkNanos);
    }

    /**
     * @param rest does nothing for so many nanoseconds
     */
    Throttle(LongSupplier nanoClock, LongConsumer rest) {
        this.nanoClock = nanoClock;
        this.rest = rest;
    }

    /** Work begins. */
    void begin() {
        begunNanos = nanoClock.getAsLong();
    }

    /** Rests from the work since it began, or since it last might have rested. */
    void rest() {
        long workedNanos = nanoClock.getAsLong() - begunNanos;
        if (hurries.get() == 0) {
            rest.accept(Math.min(REST_PER_WORK * workedNanos, REST_NANOS_MAX));
        }
        begin();
    }

    /** Somebody waits: no rests until this hurry {@linkplain #endHurry has ended}. */
    void beginHurry() {
        hurries.incrementAndGet();
    }

    void endHurry() {
        hurries.decrementAndGet();
    }
}
