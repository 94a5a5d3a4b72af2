package dht.replication;

/**
 * What reads promise, in the words of L. Lamport, "On interprocess communication", Distributed
 * Computing 1, 1986.
 */
public enum RegisterKind {
    /**
     * A read returns the last acknowledged write, or one that is still in progress, if the {@code
     * ack} of the write and of the read together exceed {@code from}. While a write is in progress,
     * a read may return it, and a later read an older version.
     */
    REGULAR,

    /**
     * As {@link #REGULAR}; in addition, a read never returns an older version than an earlier read.
     */
    ATOMIC
}
