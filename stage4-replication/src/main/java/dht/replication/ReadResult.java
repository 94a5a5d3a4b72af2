package dht.replication;

import dht.storage.ReadOutcome;

/** What a read from several replicas has come to. */
public sealed interface ReadResult {
    /**
     * Enough replicas have answered.
     *
     * @param version the newest of theirs; whoever gets it closes it
     */
    record VersionOrder(ReadOutcome version) implements ReadResult {}

    /** Too few have answered. */
    record TooFewReplicas(QuorumFailure failure) implements ReadResult {}
}
