package dht.storage;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stamps writes: the time of day in microseconds, but never the same twice and never less than
 * before, even where the time of day is set back.
 *
 * <p>Thread-safe.
 */
public final class TimestampClock {
    private final InstantSource source;
    private final AtomicLong lastMicros;

    /**
     * @param lastMicros all stamps will be greater
     */
    public TimestampClock(InstantSource source, long lastMicros) {
        this.source = source;
        this.lastMicros = new AtomicLong(lastMicros);
    }

    /** Moves on to a stamp that was taken elsewhere: all later ones will be greater. */
    public void advanceTo(long micros) {
        if (micros > lastMicros.get()) {
            lastMicros.accumulateAndGet(micros, Math::max);
        }
    }

    /** The last stamp that was given out or advanced to. */
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
