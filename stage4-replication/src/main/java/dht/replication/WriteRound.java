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
    private final Tally tally;
    private final boolean isLast;
    private long newestMicros;

    private WriteRound(Quorum quorum, boolean isLast) {
        this.tally = new Tally(quorum);
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
            case WriteAnswer.Stored _ -> tally.done();
            case WriteAnswer.Late late -> {
                newestMicros = Math.max(newestMicros, late.newestMicros());
                tally.done();
            }
            case WriteAnswer.Failed failed -> tally.failed(failed.failure());
        }
    }

    /** Whether more answers would change nothing. */
    public boolean isDecided() {
        return tally.isDecided();
    }

    /** What it has come to, once it is decided. */
    public WriteResult result() {
        if (!tally.isReached()) {
            return new WriteResult.TooFewReplicas(tally.shortage());
        }
        return newestMicros == 0 || isLast
                ? new WriteResult.Acknowledged()
                : new WriteResult.Outdated(newestMicros);
    }
}
