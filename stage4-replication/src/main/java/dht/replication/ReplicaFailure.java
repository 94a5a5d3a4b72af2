package dht.replication;

/**
 * Why a replica did not do what it was asked. Immutable.
 *
 * @param node its URL
 * @param reason a few words, such as {@code silent for 1 s}
 */
public record ReplicaFailure(String node, String reason) {
    @Override
    public String toString() {
        return node + ": " + reason;
    }
}
