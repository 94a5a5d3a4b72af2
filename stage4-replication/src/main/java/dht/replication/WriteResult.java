package dht.replication;

/** The outcome of a write to several replicas. Immutable. */
public sealed interface WriteResult {
    /** Enough replicas have stored the write. */
    record Acknowledged() implements WriteResult {}

    /**
     * Enough replicas have answered, but at least one of them already had a newer version, because
     * the clock that stamped this write was behind. The newer version may have been acknowledged
     * long ago. So the write must be repeated with a new stamp, or it would be lost.
     *
     * @param newestMicros the greatest stamp that was found; the coordinator's next stamp is
     *     greater
     */
    record Outdated(long newestMicros) implements WriteResult {}

    /** Too few replicas have confirmed the write; some may have stored it without confirming. */
    record TooFewReplicas(QuorumFailure failure) implements WriteResult {}
}
