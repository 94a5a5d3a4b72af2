package dht.replication;

import dht.storage.TimestampClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The clock of a coordinator: the time of day as long as that will do, but always past every stamp
 * that this node has given out, stored or seen on another node. So what has been seen is
 * overwritten by what is written next, however wrong the time of day is.
 *
 * <p>After S. Kulkarni et al., "Logical Physical Clocks", OPODIS 2014, with the count of events
 * within a microsecond added to the microseconds instead of kept beside them.
 *
 * <p>A stamp too far ahead of this node's own time of day is refused, lest one node's broken clock,
 * or a stranger, drive all clocks into the far future: stamps could then run out.
 *
 * <p>Thread-safe.
 */
public final class HybridLogicalClock {
    /** A stamp so little past one that another node has believed is believed as well. */
    private static final long BELIEF_MICROS = TimeUnit.MINUTES.toMicros(1);

    /** So that not every answer writes to memory that all threads share. */
    private static final long BELIEF_STEP_MICROS = TimeUnit.SECONDS.toMicros(1);

    private final InstantSource timeOfDay;
    private final Duration aheadMax;
    private final TimestampClock stamps;

    /** About the greatest stamp that another node has given or stored; 0 before the first. */
    private final AtomicLong believedMicros = new AtomicLong();

    /**
     * @param aheadMax how far a stamp may be ahead of this node's time of day
     * @param greatestStoredMicros all stamps will be greater
     * @throws IllegalArgumentException if what is stored is further ahead than that
     */
    public HybridLogicalClock(
            InstantSource timeOfDay, Duration aheadMax, long greatestStoredMicros) {
        this.timeOfDay = timeOfDay;
        this.aheadMax = aheadMax;
        this.stamps = new TimestampClock(timeOfDay, greatestStoredMicros);
        if (isTooFarAhead(greatestStoredMicros)) {
            throw new IllegalArgumentException(
                    "the data has a write of %s, and this node's clock says %s: set the clock, or --clock-ahead-max above %s"
                            .formatted(
                                    instant(greatestStoredMicros), timeOfDay.instant(), aheadMax));
        }
    }

    /** A stamp past all that this clock has given out or observed. */
    public long nextMicros() {
        return stamps.nextMicros();
    }

    /** The greatest stamp that was given out or observed. */
    public long lastMicros() {
        return stamps.lastMicros();
    }

    /**
     * Moves past a stamp of another node.
     *
     * @throws StampAheadException if it is too far ahead; the clock has not moved
     */
    public void observe(long micros) throws StampAheadException {
        if (micros <= stamps.lastMicros()) {
            believed(micros);
            return;
        }
        if (isTooFarAhead(micros)) {
            throw new StampAheadException(
                    "timestamp=%d is %s, and this node's clock says %s: more than %s ahead"
                            .formatted(micros, instant(micros), timeOfDay.instant(), aheadMax));
        }
        stamps.advanceTo(micros);
        believed(micros);
    }

    /** Another node holds a version under this stamp, so it believes a clock that says this. */
    public void believed(long micros) {
        if (micros - believedMicros.get() > BELIEF_STEP_MICROS) {
            believedMicros.accumulateAndGet(micros, Math::max);
        }
    }

    /**
     * Whether other nodes can be taken to believe a stamp of this clock: one of them has believed a
     * stamp of about that time.
     */
    public boolean isBelieved(long micros) {
        return micros - believedMicros.get() <= BELIEF_MICROS;
    }

    private boolean isTooFarAhead(long micros) {
        return instant(micros).isAfter(timeOfDay.instant().plus(aheadMax));
    }

    /** Every number of microseconds is an instant. */
    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
