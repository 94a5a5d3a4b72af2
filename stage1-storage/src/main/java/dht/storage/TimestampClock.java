package dht.storage;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock for the stamps of writes: the time of day in microseconds. Each stamp is greater than the
 * one before, even if the time of day is set back.
 *
 * <p>Thread-safe.
 */
public final class TimestampClock {
    private final InstantSource source;
    private final AtomicLong lastMicros;

    /**
     * @param source the time of day
     * @param lastMicros all stamps will be greater than this
     */
    public TimestampClock(InstantSource source, long lastMicros) {
        this.source = source;
        this.lastMicros = new AtomicLong(lastMicros);
    }

    /** Advances to a stamp of another clock: all later stamps will be greater. */
    public void advanceTo(long micros) {
        if (micros > lastMicros.get()) {
            lastMicros.accumulateAndGet(micros, Math::max);
        }
    }

    /** The greatest stamp that was returned or advanced to so far. */
    public long lastMicros() {
        return lastMicros.get();
    }

    public long nextMicros() {
        Instant now = source.instant();
        long nowMicros = now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
        while (true) {
            long last = lastMicros.get();
            long next = Math.max(nowMicros, last + 1);
            if (lastMicros.compareAndSet(last, next)) {
                return next;
            }
        }
    }
}
