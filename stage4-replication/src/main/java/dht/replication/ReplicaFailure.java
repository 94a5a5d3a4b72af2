package dht.replication;

/**
 * Why a request to a replica has failed. Immutable.
 *
 * @param node the URL of the replica's node
 * @param reason a few words, such as {@code does not answer}
 * @param cause what this node's own storage has thrown; null for a failure of another node
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
