package dht.replication;

/** What a write to several replicas has come to. */
public sealed interface WriteResult {
    /** Enough replicas hold it. */
    record Acknowledged() implements WriteResult {}

    /**
     * Enough replicas hold it, but one held a newer version before: the clock that stamped the
     * write was behind. What is newer may have been acknowledged long ago, so the write must be
     * stamped anew, or it would be lost.
     *
     * @param newestMicros the greatest stamp that was met; the coordinator's clock is past it
     */
    record Outdated(long newestMicros) implements WriteResult {}

    /** Too few replicas are known to hold it; some may. */
    record TooFewReplicas(QuorumFailure failure) implements WriteResult {}
}
