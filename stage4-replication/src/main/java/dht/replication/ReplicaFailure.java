package dht.replication;

/**
 * Why a replica did not do what it was asked. Immutable.
 *
 * @param node its URL
 * @param reason a few words, such as {@code does not answer}
 * @param cause what was thrown where it was this node's own storage, else null
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
