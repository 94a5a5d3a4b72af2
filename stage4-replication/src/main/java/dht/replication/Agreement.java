package dht.replication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.storage.ReadOutcome;

/**
 * Whether the replicas that have answered a read hold the same version. That is told by stamps
 * alone: two values under one stamp are rare, and whoever repairs them looks at their bytes.
 *
 * <p>Thread-safe.
 */
public final class Agreement {
    @GuardedBy("this")
    private boolean isBegun;

    @GuardedBy("this")
    private long first; // What the first answer was, as of().

    @GuardedBy("this")
    private boolean isBroken;

    @GuardedBy("this")
    private boolean isTold;

    /** Compares what a replica has answered, before anybody closes it. */
    public synchronized void add(ReadAnswer answer) {
        if (answer instanceof ReadAnswer.Looked looked) {
            long version = of(looked.version());
            isBroken |= isBegun && version != first;
            first = isBegun ? first : version;
            isBegun = true;
        }
    }

    /** Whether somebody should hear of different versions: yes once, then no. */
    public synchronized boolean tryTell() {
        boolean isNews = isBroken && !isTold;
        isTold |= isNews;
        return isNews;
    }

    /** A number for each version: stamps are positive. */
    private static long of(ReadOutcome version) {
        return switch (version) {
            case ReadOutcome.Found found -> found.timestampMicros();
            case ReadOutcome.Deleted deleted -> -deleted.timestampMicros();
            case ReadOutcome.Absent _ -> 0;
        };
    }
}
