package dht.replication;

import dht.http.Responder;
import dht.http.Response;
import dht.http.Status;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Too few replicas have done what they were asked. Immutable.
 *
 * @param doneCount how many have
 * @param failures why the others have not, as far as they were asked
 */
public record QuorumFailure(Quorum quorum, int doneCount, List<ReplicaFailure> failures) {
    /** Tells the client; a storage of this node which holds the only copy speaks for itself. */
    void answer(Responder responder) {
        Throwable cause = failures.getFirst().cause();
        if (quorum.from() == 1 && cause != null) {
            responder.fail(cause);
        } else {
            responder.respond(Response.of(Status.NOT_ENOUGH_REPLICAS, toString()));
        }
    }

    /** One line: how many are missing, and which node failed how. */
    @Override
    public String toString() {
        return failures.stream()
                .map(ReplicaFailure::toString)
                .collect(
                        Collectors.joining(
                                "; ", "replicas=" + quorum + ": " + doneCount + " answered; ", ""));
    }
}
