package dht.replication;

/** A replica's answer to a write. */
public sealed interface WriteAnswer {
    /** The version is stored, and was the newest when it arrived. */
    record Stored() implements WriteAnswer {
        public static final Stored INSTANCE = new Stored();
    }

    /**
     * The version is stored, but the replica already had a version at least as new.
     *
     * @param newestMicros that version's stamp
     */
    record Late(long newestMicros) implements WriteAnswer {}

    /** The version is not stored: its stamp is too far ahead of the replica's clock. */
    record Rejected(ReplicaFailure failure) implements WriteAnswer {}

    /**
     * The write does not count, and may or may not be stored.
     *
     * @param isStored whether the write is known to be stored all the same: the replica's newest
     *     version hides it, and that version's stamp is too far ahead
     */
    record Failed(ReplicaFailure failure, boolean isStored) implements WriteAnswer {
        public Failed(ReplicaFailure failure) {
            this(failure, false);
        }
    }
}
