package dht.replication;

import java.util.ArrayList;
import java.util.List;

/**
 * Counts the answers of replicas to one request until its outcome is decided: either {@code ack}
 * replicas have succeeded, or so many have failed that {@code ack} successes have become
 * impossible. The caller adds each replica once.
 *
 * <p>Used by one thread at a time.
 */
final class AckCounter {
    private final Quorum quorum;
    private final List<ReplicaFailure> failures = new ArrayList<>(0);
    private int failedCount;
    private int doneCount;

    AckCounter(Quorum quorum) {
        this.quorum = quorum;
    }

    void done() {
        doneCount++;
    }

    /** Throws nothing: without memory, the failure is counted, but not reported. */
    void failed(ReplicaFailure failure) {
        failedCount++;
        try {
            failures.add(failure);
        } catch (OutOfMemoryError _) { // The others are reported.
        }
    }

    /** Whether {@code ack} replicas have succeeded. */
    boolean isReached() {
        return doneCount >= quorum.ack();
    }

    /** Whether {@code ack} successes have become impossible. */
    boolean isLost() {
        return failedCount > quorum.from() - quorum.ack();
    }

    boolean isDecided() {
        return isReached() || isLost();
    }

    /** The failure to report. Call it only when the quorum can no longer be reached. */
    QuorumFailure failure() {
        return new QuorumFailure(quorum, doneCount, List.copyOf(failures));
    }
}
