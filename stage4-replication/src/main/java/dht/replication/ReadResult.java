package dht.replication;

import dht.storage.ReadOutcome;

/** The outcome of a read from several replicas. Used by one thread at a time. */
public sealed interface ReadResult {
    /**
     * Enough replicas have answered.
     *
     * @param version the newest version among their answers; the receiver must close it
     */
    record Newest(ReadOutcome version) implements ReadResult {}

    /** Too few replicas have answered. */
    record TooFewReplicas(QuorumFailure failure) implements ReadResult {}
}
