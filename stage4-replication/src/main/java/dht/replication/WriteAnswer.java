package dht.replication;

/** What a replica says when it is told to store a version. */
public sealed interface WriteAnswer {
    /** It is stored, and was the newest when it came. */
    record Stored() implements WriteAnswer {
        public static final Stored INSTANCE = new Stored();
    }

    /**
     * It is stored, but a version at least as new was there already.
     *
     * @param newestMicros that version's stamp
     */
    record Late(long newestMicros) implements WriteAnswer {}

    /** It is not stored: the replica does not believe the stamp, which is too far ahead. */
    record Rejected(ReplicaFailure failure) implements WriteAnswer {}

    /** It may or may not be stored. */
    record Failed(ReplicaFailure failure) implements WriteAnswer {}
}
