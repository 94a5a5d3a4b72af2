package dht.replication;

import dht.storage.ReadOutcome;

/**
 * The answers of replicas to one read, and the newest version among them.
 *
 * <p>For one thread at a time.
 */
public final class ReadRound {
    private final AckCounter acks;
    private ReadOutcome newest = ReadOutcome.Absent.INSTANCE;

    public ReadRound(Quorum quorum) {
        this.acks = new AckCounter(quorum);
    }

    /** Takes over what the replica has answered. */
    public void add(ReadAnswer answer) {
        switch (answer) {
            case ReadAnswer.Looked looked -> {
                newest = VersionOrder.of(newest, looked.version());
                acks.done();
            }
            case ReadAnswer.Failed failed -> acks.failed(failed.failure());
        }
    }

    /** Whether more answers would change nothing. */
    public boolean isDecided() {
        return acks.isDecided();
    }

    /** What it has come to; hands over the newest version, so to be asked once. */
    public ReadResult result() {
        if (acks.isReached()) {
            return new ReadResult.VersionOrder(newest);
        }
        newest.close();
        return new ReadResult.TooFewReplicas(acks.failure());
    }
}
