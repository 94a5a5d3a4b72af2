package dht.repair;

import java.time.Duration;
import java.time.Instant;

/**
 * How long this node had no contact with half of the other nodes before it was started. If this
 * time is longer than tombstones are kept, there is a danger: this node may have missed a deletion,
 * and the other nodes may have dropped its tombstone. The old value on this node could then bring
 * the deleted key back. Immutable.
 *
 * @param startedMillis when this process was started, in milliseconds since 1970
 * @param before when this node last had contact before that; 0 if never
 * @param grace the shortest time for which each node keeps a tombstone; zero: absence is not
 *     checked
 */
record Absence(long startedMillis, LastContact before, Duration grace) {
    /**
     * The longest interval at which a node stores when it last had contact. Storing the time more
     * often would disturb clients: it costs two syncs of the disk, and their writes wait meanwhile.
     */
    private static final Duration STORE_PAUSE_MAX = Duration.ofMinutes(10);

    /** Whether the data may be too old. */
    boolean isTooLong() {
        return before.halfMillis() > 0
                && !grace.isZero()
                && startedMillis - before.halfMillis() > grace.toMillis();
    }

    /** The interval at which a node stores when it last had contact. */
    Duration storePause() {
        return grace.isZero() ? STORE_PAUSE_MAX : shorter(part(grace, 8), STORE_PAUSE_MAX);
    }

    /**
     * Whether another node may have dropped tombstones of deletions that this node has missed.
     * There are three cases. That node has been running for longer than tombstones are kept. Or its
     * data directory was first used in its present run, so its data was made during the absence. Or
     * that node still had contact with others when this node had none with half of them any more.
     * It may have received deletions in that time, and may have dropped their tombstones since
     * then.
     *
     * <p>In the last case, a small difference does not count. A stored time of contact may be too
     * old by the time between two stores and the time between two greetings, which are at most an
     * eighth and a quarter of the grace.
     *
     * @param greeting the greeting of the other node; the absence of this node was too long
     */
    boolean wasMissedBy(Greeting greeting) {
        Duration inexactness = shorter(part(grace, 2), STORE_PAUSE_MAX.multipliedBy(2));
        long laterMillis = greeting.contactBeforeMillis() - before.halfMillis();
        return greeting.up().compareTo(grace) > 0
                || greeting.contactBeforeMillis() == 0
                || laterMillis > inexactness.toMillis();
    }

    /**
     * A part of the grace, in whole milliseconds. {@link Duration#dividedBy} would load {@link
     * java.math.BigDecimal}, which takes a thirtieth of the time of a start.
     */
    static Duration part(Duration grace, int divisor) {
        return Duration.ofMillis(grace.toMillis() / divisor);
    }

    private static Duration shorter(Duration first, Duration second) {
        return first.compareTo(second) < 0 ? first : second;
    }

    Instant since() {
        return Instant.ofEpochMilli(before.halfMillis());
    }

    /** How long this process has been running. */
    Duration up(long nowMillis) {
        return Duration.ofMillis(Math.max(0, nowMillis - startedMillis));
    }
}
