package dht.repair;

import java.time.Duration;
import java.time.Instant;

/**
 * How long this node had no contact with other nodes before it was started. If this time is longer
 * than tombstones are kept, there is a danger: this node may have missed a deletion, and the other
 * nodes may have dropped its tombstone. The old value on this node could then bring the deleted key
 * back. Immutable.
 *
 * @param startedMillis when this process was started, in milliseconds since 1970
 * @param contactBeforeMillis when this node last had contact before that; 0 if never
 * @param grace the shortest time for which each node keeps a tombstone; zero: absence is not
 *     checked
 */
record Absence(long startedMillis, long contactBeforeMillis, Duration grace) {
    /** Whether the data may be too old. */
    boolean isTooLong() {
        return contactBeforeMillis > 0 && isTooLong(contactBeforeMillis, startedMillis);
    }

    /** Whether tombstones may be dropped between two times. */
    boolean isTooLong(long fromMillis, long toMillis) {
        return !grace.isZero() && toMillis - fromMillis > grace.toMillis();
    }

    /**
     * Whether another node was running during the absence for so long that it may have dropped
     * tombstones.
     */
    boolean wasMissedBy(Greeting greeting) {
        return greeting.up().compareTo(grace) > 0
                || isTooLong(contactBeforeMillis, greeting.contactBeforeMillis());
    }

    Instant since() {
        return Instant.ofEpochMilli(contactBeforeMillis);
    }

    /** How long this process has been running. */
    Duration up(long nowMillis) {
        return Duration.ofMillis(Math.max(0, nowMillis - startedMillis));
    }
}
