package dht.replication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.storage.ReadOutcome;

/**
 * Detects whether the replicas that have answered a read have the same version. Compares only the
 * stamps and the kinds of versions: value, tombstone or none. Two different values with the same
 * stamp are rare, and count as the same here; comparisons of nodes find them.
 *
 * <p>Thread-safe.
 */
public final class Agreement {
    @GuardedBy("this")
    private boolean isBegun;

    @GuardedBy("this")
    private long first; // The first version, as a number from of().

    @GuardedBy("this")
    private boolean isBroken;

    @GuardedBy("this")
    private boolean isTold;

    /**
     * Compares a replica's answer with the first one. Must be called before the answer is closed.
     */
    public synchronized void add(ReadAnswer answer) {
        if (answer instanceof ReadAnswer.Looked looked) {
            long version = of(looked.version());
            isBroken |= isBegun && version != first;
            first = isBegun ? first : version;
            isBegun = true;
        }
    }

    /** Whether different versions were found and not yet reported. Returns true at most once. */
    public synchronized boolean tryTell() {
        boolean isNews = isBroken && !isTold;
        isTold |= isNews;
        return isNews;
    }

    /**
     * Maps a version to a number. Stamps are positive, so a value, a tombstone and an absent
     * version never get the same number.
     */
    private static long of(ReadOutcome version) {
        return switch (version) {
            case ReadOutcome.Found found -> found.timestampMicros();
            case ReadOutcome.Deleted deleted -> -deleted.timestampMicros();
            case ReadOutcome.Absent _ -> 0;
        };
    }
}
