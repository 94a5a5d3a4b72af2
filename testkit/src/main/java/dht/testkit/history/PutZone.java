package dht.testkit.history;

import dht.testkit.history.Operation.Outcome;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A put, together with the reads that returned its value. If the first end of them is before the
 * last start, the key has this value between these two moments: the zone is forward. Otherwise all
 * of them may have happened at one moment: the zone is backward. The terms are those of Gibbons and
 * Korach, "Testing shared memories", SIAM J. Comput. 26, 1997.
 *
 * <p>For one thread.
 */
final class PutZone {
    private final Operation put;
    private Operation firstEnded; // Null if nothing proves that the put has happened.
    private Operation lastStarted;

    PutZone(Operation put) {
        this.put = put;
        this.firstEnded = put.outcome() == Outcome.OK ? put : null;
        this.lastStarted = put;
    }

    void addRead(Operation read) {
        if (firstEnded == null || read.endNanos() < firstEnded.endNanos()) {
            firstEnded = read;
        }
        if (read.startNanos() > lastStarted.startNanos()) {
            lastStarted = read;
        }
    }

    /** Whether the put is known to have happened: it was acknowledged, or a read returned it. */
    boolean hasHappened() {
        return firstEnded != null;
    }

    long firstEndNanos() {
        return firstEnded.endNanos();
    }

    long lastStartNanos() {
        return lastStarted.startNanos();
    }

    boolean isForward() {
        return firstEndNanos() < lastStartNanos();
    }

    /** The operations that prove where this zone begins and ends. */
    Set<Operation> evidence() {
        var evidence = new LinkedHashSet<Operation>();
        evidence.add(put);
        evidence.add(firstEnded);
        evidence.add(lastStarted);
        return evidence;
    }
}
