package dht.storage.lsm;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Has work in the background rest now and then, so that it takes a quarter of a processor instead
 * of all of it, and those who wait for answers get the rest. Used by one thread.
 */
final class Pace {
    private static final int REST_PER_WORK = 3;

    /** Whoever wants the work to end waits no longer than that. */
    static final long REST_NANOS_MAX = 20_000_000;

    private final LongSupplier nanoClock;
    private final LongConsumer rest;
    private long begunNanos;

    Pace() {
        this(System::nanoTime, LockSupport::parkNanos);
    }

    /**
     * @param rest does nothing for so many nanoseconds
     */
    Pace(LongSupplier nanoClock, LongConsumer rest) {
        this.nanoClock = nanoClock;
        this.rest = rest;
    }

    /** Work begins. */
    void begin() {
        begunNanos = nanoClock.getAsLong();
    }

    /** Rests from the work since it began, or since the last rest. */
    void rest() {
        long workedNanos = nanoClock.getAsLong() - begunNanos;
        rest.accept(Math.min(REST_PER_WORK * workedNanos, REST_NANOS_MAX));
        begin();
    }
}
