package dht.replication;

import dht.storage.ReadOutcome;

/** What a replica says when it is asked for its version of a key. */
public sealed interface ReadAnswer {
    /**
     * It has looked.
     *
     * @param version also nothing, or a tombstone; whoever gets the answer closes it
     */
    record Looked(ReadOutcome version) implements ReadAnswer {}

    /** It doesn't say, or not in time. */
    record Failed(ReplicaFailure failure) implements ReadAnswer {}
}
