package dht.replication;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Counts the answers of replicas to one request, each once, until it is decided: {@code ack} have
 * done it, or so many have failed that no longer {@code ack} can.
 *
 * <p>For one thread at a time.
 */
final class Tally {
    private final Quorum quorum;
    private final List<ReplicaFailure> failures = new ArrayList<>(0);
    private int doneCount;

    Tally(Quorum quorum) {
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

    /** One line for the client: how many are missing, and which node failed how. */
    String shortage() {
        return failures.stream()
                .map(ReplicaFailure::toString)
                .collect(
                        Collectors.joining(
                                "; ", "replicas=" + quorum + ": " + doneCount + " answered; ", ""));
    }
}
