package dht.replication;

import dht.storage.ReadOutcome;

/** A replica's answer to a read. Used by one thread at a time. */
public sealed interface ReadAnswer {
    /**
     * The replica has looked for the key.
     *
     * @param version the version that it has, which may be a tombstone or absent; the receiver must
     *     close it
     */
    record Looked(ReadOutcome version) implements ReadAnswer {}

    /** The replica has failed, or has not answered in time. */
    record Failed(ReplicaFailure failure) implements ReadAnswer {}
}
