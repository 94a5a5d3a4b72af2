package dht.replication;

import java.util.ArrayList;
import java.util.List;

/**
 * Counts the answers of replicas to one request, each once, until it is decided: {@code ack} have
 * done it, or so many have failed that no longer {@code ack} can.
 *
 * <p>For one thread at a time.
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

    /** What is missing, once it is lost. */
    QuorumFailure failure() {
        return new QuorumFailure(quorum, doneCount, List.copyOf(failures));
    }
}
