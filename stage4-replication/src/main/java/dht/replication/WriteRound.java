package dht.replication;

/**
 * The answers of replicas to one write under one stamp.
 *
 * <p>A write that began after another one was acknowledged must win over it, but the other one's
 * stamp may be greater, where it was given by another node's clock. Then some replica of any quorum
 * holds the other write and says so. One new stamp, past all those that were met in a quorum, is
 * enough: whatever is newer even then was not acknowledged when this write began.
 *
 * <p>For one thread at a time.
 */
public final class WriteRound {
    private final AckCounter acks;
    private final boolean isLast;
    private long newestMicros;
    private boolean isBelieved;
    private boolean isRejected;

    private WriteRound(Quorum quorum, boolean isLast) {
        this.acks = new AckCounter(quorum);
        this.isLast = isLast;
    }

    /** Under the stamp that the write got first. */
    public static WriteRound first(Quorum quorum) {
        return new WriteRound(quorum, false);
    }

    /** Under a stamp past those that the first round has met. */
    public static WriteRound last(Quorum quorum) {
        return new WriteRound(quorum, true);
    }

    public void add(WriteAnswer answer) {
        switch (answer) {
            case WriteAnswer.Stored _ -> {
                isBelieved = true;
                acks.done();
            }
            case WriteAnswer.Late late -> {
                isBelieved = true;
                newestMicros = Math.max(newestMicros, late.newestMicros());
                acks.done();
            }
            case WriteAnswer.Rejected rejected -> {
                isRejected = true;
                acks.failed(rejected.failure());
            }
            case WriteAnswer.Failed failed -> acks.failed(failed.failure());
        }
    }

    /** Whether a replica has stored it under its stamp. */
    public boolean isBelieved() {
        return isBelieved;
    }

    /** Whether replicas have rejected its stamp as too far ahead, and none has stored it. */
    public boolean isRejected() {
        return isRejected && !isBelieved;
    }

    /** Whether more answers would change nothing. */
    public boolean isDecided() {
        return acks.isDecided();
    }

    /** What it has come to, once it is decided. */
    public WriteResult result() {
        if (!acks.isReached()) {
            return new WriteResult.TooFewReplicas(acks.failure());
        }
        return newestMicros == 0 || isLast
                ? new WriteResult.Acknowledged()
                : new WriteResult.Outdated(newestMicros);
    }
}
