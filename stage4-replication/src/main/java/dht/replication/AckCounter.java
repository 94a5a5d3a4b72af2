package dht.replication;

import java.util.ArrayList;
import java.util.List;

/**
 * Counts the answers of replicas to one request until its outcome is decided: either {@code ack}
 * replicas have succeeded, or so many have failed that {@code ack} successes have become
 * impossible. Each replica is counted once.
 *
 * <p>Used by one thread at a time.
 */
final class AckCounter {
    private final Quorum quorum;
    private final List<ReplicaFailure> failures = new ArrayList<>(0);
    private int doneCount;

    AckCounter(Quorum quorum) {
        this.quorum = quorum;
    }

    void done() {
        doneCount++;
    }

    void failed(ReplicaFailure failure) {
        failures.add(failure);
    }

    boolean isReached() {
        return doneCount >= quorum.ack();
    }

    boolean isLost() {
        return failures.size() > quorum.from() - quorum.ack();
    }

    boolean isDecided() {
        return isReached() || isLost();
    }

    /** The failure to report. Call it only when the quorum can no longer be reached. */
    QuorumFailure failure() {
        return new QuorumFailure(quorum, doneCount, List.copyOf(failures));
    }
}
