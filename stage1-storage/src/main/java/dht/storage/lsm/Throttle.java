package dht.storage.lsm;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Makes background work rest from time to time, so that requests get more processor time. After
 * each piece of work it rests three times as long as the piece took, but at most 20 ms. So short
 * pieces use about a quarter of a processor, and pieces longer than 7 ms use more. Between {@link
 * #beginHurry} and {@link #endHurry}, it does not rest.
 *
 * <p>Used by the thread that does the work. Any thread may call {@link #beginHurry} and {@link
 * #endHurry}.
 */
final class Throttle {
    private static final int REST_PER_WORK = 3;

    /**
     * The longest rest. If something begins to wait for the work during a rest, it waits for no
     * more than this.
     */
    static final long REST_NANOS_MAX = 20_000_000;

    private final LongSupplier nanoClock;
    private final LongConsumer rest;
    private final AtomicInteger hurries = new AtomicInteger();
    private long begunNanos;

    Throttle() {
        this(System::nanoTime, LockSupport::parkNanos);
    }

    /**
     * @param rest rests for a number of nanoseconds
     */
    Throttle(LongSupplier nanoClock, LongConsumer rest) {
        this.nanoClock = nanoClock;
        this.rest = rest;
    }

    /** Called when work begins. */
    void begin() {
        begunNanos = nanoClock.getAsLong();
    }

    /**
     * Rests in proportion to the work since {@link #begin} or the last call of this method. During
     * a hurry, does not rest.
     */
    void rest() {
        long workedNanos = nanoClock.getAsLong() - begunNanos;
        if (hurries.get() == 0) {
            rest.accept(Math.min(REST_PER_WORK * workedNanos, REST_NANOS_MAX));
        }
        begin();
    }

    /** Called when something waits for the work: there are no rests until {@link #endHurry}. */
    void beginHurry() {
        hurries.incrementAndGet();
    }

    void endHurry() {
        hurries.decrementAndGet();
    }
}
