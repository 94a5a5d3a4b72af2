package dht.replication;

/**
 * Why a request to a replica has failed. Immutable.
 *
 * @param node the URL of the replica's node, or {@code this node}
 * @param reason a few words, such as {@code does not answer}
 * @param cause what this node's own storage has thrown; null if the failure has no such cause
 */
public record ReplicaFailure(String node, String reason, Throwable cause) {
    public ReplicaFailure(String node, String reason) {
        this(node, reason, null);
    }

    @Override
    public String toString() {
        return node + ": " + reason;
    }
}
