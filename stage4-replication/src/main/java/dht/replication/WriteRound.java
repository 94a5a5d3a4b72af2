package dht.replication;

/**
 * The answers of replicas to one write with one stamp.
 *
 * <p>A write that begins after another write was acknowledged must win over it. But the other write
 * may have a greater stamp, if the clock of another node gave that stamp. If the {@code ack}s of
 * both writes together exceed {@code from}, at least one replica that answers has the other write,
 * and answers with the stamp of that write. The coordinator writes again, with a stamp that is
 * greater than all stamps in the answers. One such repetition is enough: a write with a still
 * greater stamp was not yet acknowledged when this write began.
 *
 * <p>Used by one thread at a time.
 */
public final class WriteRound {
    private final AckCounter acks;
    private final boolean isLast;
    private long newestMicros;
    private boolean isAccepted;
    private boolean isRejected;

    private WriteRound(Quorum quorum, boolean isLast) {
        this.acks = new AckCounter(quorum);
        this.isLast = isLast;
    }

    /** The round with the first stamp of the write. */
    public static WriteRound first(Quorum quorum) {
        return new WriteRound(quorum, false);
    }

    /**
     * A round whose outcome is final, even if a replica has a newer version: the second round of a
     * write, or one with a stamp that is known to be great enough.
     */
    public static WriteRound last(Quorum quorum) {
        return new WriteRound(quorum, true);
    }

    public void add(WriteAnswer answer) {
        switch (answer) {
            case WriteAnswer.Stored _ -> {
                isAccepted = true;
                acks.done();
            }
            case WriteAnswer.Superseded superseded -> {
                isAccepted = true;
                newestMicros = Math.max(newestMicros, superseded.newestMicros());
                acks.done();
            }
            case WriteAnswer.Rejected rejected -> {
                isRejected = true;
                acks.failed(rejected.failure());
            }
            case WriteAnswer.Failed failed -> acks.failed(failed.failure());
        }
    }

    /** Whether a replica has accepted the stamp and stored the write. */
    public boolean isAccepted() {
        return isAccepted;
    }

    /**
     * Whether a replica has rejected the stamp as too far ahead, and no replica has stored the
     * write.
     */
    public boolean isRejected() {
        return isRejected && !isAccepted;
    }

    /** Whether no further answer is needed: {@code ack} have succeeded, or no longer can. */
    public boolean isDecided() {
        return acks.isDecided();
    }

    /** The outcome. Call it only when the round is decided. */
    public WriteResult result() {
        if (!acks.isReached()) {
            return new WriteResult.TooFewReplicas(acks.failure());
        }
        return newestMicros == 0 || isLast
                ? new WriteResult.Acknowledged()
                : new WriteResult.Outdated(newestMicros);
    }
}
