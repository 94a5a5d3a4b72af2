package dht.replication;

/** A replica's answer to a write. Immutable. */
public sealed interface WriteAnswer {
    /**
     * The version is stored. The replica had no version that is at least as new, or has not looked
     * for one.
     */
    record Stored() implements WriteAnswer {
        public static final Stored INSTANCE = new Stored();
    }

    /**
     * The version is stored, but the replica already had one that is at least as new, and keeps
     * returning that one.
     *
     * @param newestMicros the stamp of the newest version
     */
    record Superseded(long newestMicros) implements WriteAnswer {}

    /** The version is not stored: its stamp is too far ahead of the replica's clock. */
    record Rejected(ReplicaFailure failure) implements WriteAnswer {}

    /**
     * The write does not count, and may or may not be stored.
     *
     * @param isStored whether the write is known to be stored: the replica has a newer version,
     *     whose stamp is too far ahead, and returns that one to readers
     */
    record Failed(ReplicaFailure failure, boolean isStored) implements WriteAnswer {
        public Failed(ReplicaFailure failure) {
            this(failure, false);
        }
    }
}
