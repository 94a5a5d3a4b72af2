package dht.replication;

import dht.http.Responder;
import dht.http.Response;
import dht.http.Status;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The failure of a request: too few replicas have succeeded. Immutable.
 *
 * @param doneCount how many replicas have succeeded
 * @param failures why other replicas have failed; replicas that were not asked are not listed
 */
public record QuorumFailure(Quorum quorum, int doneCount, List<ReplicaFailure> failures) {
    /**
     * Answers the client. If this node has the only copy, the client gets the error of its storage.
     */
    void answer(Responder responder) {
        Throwable cause = failures.isEmpty() ? null : failures.getFirst().cause();
        if (quorum.from() == 1 && cause != null) {
            responder.fail(cause);
        } else {
            responder.respond(Response.of(Status.NOT_ENOUGH_REPLICAS, toString()));
        }
    }

    /**
     * One line: how many replicas have succeeded, and how each replica in {@code failures} has
     * failed.
     */
    @Override
    public String toString() {
        return failures.stream()
                .map(ReplicaFailure::toString)
                .collect(
                        Collectors.joining(
                                "; ", "replicas=" + quorum + ": " + doneCount + " answered; ", ""));
    }
}
