package dht.replication;

import dht.storage.TimestampClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The clock of a coordinator. It follows the time of day, but it is always ahead of every stamp
 * that this node has given out or {@linkplain #observe observed} since it started, and of every
 * stamp that it had stored before. So the next write always replaces every version with such a
 * stamp, even if the time of day is wrong.
 *
 * <p>Based on S. Kulkarni et al., "Logical Physical Clocks", OPODIS 2014. One difference: the count
 * of events within a microsecond is not a separate number, but is added to the microseconds.
 *
 * <p>A stamp from another node is rejected if it is too far ahead of this node's time of day.
 * Otherwise one node's broken clock, or an attacker, could move all clocks into the far future, and
 * stamps could run out. A stamp that is not greater than this clock's last one cannot move the
 * clock, and is never rejected.
 *
 * <p>Thread-safe.
 */
public final class HybridLogicalClock {
    /**
     * If another node has accepted a stamp, it probably also accepts a stamp that is later by at
     * most this much.
     */
    private static final long ACCEPTED_FOR_MICROS = TimeUnit.MINUTES.toMicros(1);

    /** The accepted stamp is updated in steps, so that not every answer writes to shared memory. */
    private static final long ACCEPTED_STEP_MICROS = TimeUnit.SECONDS.toMicros(1);

    private final InstantSource timeOfDay;
    private final Duration aheadMax;
    private final TimestampClock stamps;

    /**
     * Approximately the greatest stamp that another node has given or stored; 0 before the first
     * one.
     */
    private final AtomicLong acceptedMicros = new AtomicLong();

    /**
     * @param aheadMax how far a stamp may be ahead of this node's time of day
     * @param greatestStoredMicros the greatest stamp in this node's data; all new stamps are
     *     greater
     * @throws IllegalArgumentException if the greatest stored stamp is further ahead than {@code
     *     aheadMax}
     */
    public HybridLogicalClock(
            InstantSource timeOfDay, Duration aheadMax, long greatestStoredMicros) {
        this.timeOfDay = timeOfDay;
        this.aheadMax = aheadMax;
        this.stamps = new TimestampClock(timeOfDay, greatestStoredMicros);
        if (isTooFarAhead(greatestStoredMicros)) {
            throw new IllegalArgumentException(
                    "the data has a write of %s, and this node's clock says %s: correct the clock, or set --clock-ahead-max (%s) above the difference"
                            .formatted(
                                    instant(greatestStoredMicros), timeOfDay.instant(), aheadMax));
        }
    }

    /** Returns a new stamp, greater than all that this clock has given out or observed. */
    public long nextMicros() {
        return stamps.nextMicros();
    }

    /** The greatest stamp that this clock has given out or observed. */
    public long lastMicros() {
        return stamps.lastMicros();
    }

    /**
     * Moves this clock to a stamp from another node, so that the next stamp is greater. A stamp
     * that is not greater than this clock's last one is accepted, and does not move the clock.
     *
     * @throws StampAheadException if the stamp is greater than this clock's last one, and too far
     *     ahead of the time of day; the clock does not move then
     */
    public void observe(long micros) throws StampAheadException {
        if (micros <= stamps.lastMicros()) {
            noteAccepted(micros);
            return;
        }
        if (isTooFarAhead(micros)) {
            throw new StampAheadException(
                    "timestamp=%d is %s, and this node's clock says %s: more than %s ahead: correct the clock that is wrong"
                            .formatted(micros, instant(micros), timeOfDay.instant(), aheadMax));
        }
        stamps.advanceTo(micros);
        noteAccepted(micros);
    }

    /**
     * Notes that another node has stored a version with this stamp, so it accepts stamps of about
     * this time.
     */
    public void noteAccepted(long micros) {
        if (micros - acceptedMicros.get() > ACCEPTED_STEP_MICROS) {
            acceptedMicros.accumulateAndGet(micros, Math::max);
        }
    }

    /**
     * Whether other nodes probably accept a stamp of this clock: one of them has accepted a stamp
     * that is at most a minute older. This is false at the start, and after a minute without
     * writes. Then a coordinator writes its own copy only after another replica has accepted the
     * stamp, or after all others have failed.
     */
    public boolean isProbablyAccepted(long micros) {
        return micros - acceptedMicros.get() <= ACCEPTED_FOR_MICROS;
    }

    private boolean isTooFarAhead(long micros) {
        return instant(micros).isAfter(timeOfDay.instant().plus(aheadMax));
    }

    /** Never fails: every number of microseconds is a valid instant. */
    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
