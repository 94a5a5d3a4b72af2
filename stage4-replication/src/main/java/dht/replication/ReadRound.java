package dht.replication;

import dht.storage.ReadOutcome;

/**
 * The answers of replicas to one read, and the newest version among them.
 *
 * <p>For one thread at a time.
 */
public final class ReadRound {
    private final Tally tally;
    private ReadOutcome newest = ReadOutcome.Absent.INSTANCE;

    public ReadRound(Quorum quorum) {
        this.tally = new Tally(quorum);
    }

    /** Takes over what the replica has answered. */
    public void add(ReadAnswer answer) {
        switch (answer) {
            case ReadAnswer.Looked looked -> {
                newest = Newest.of(newest, looked.version());
                tally.done();
            }
            case ReadAnswer.Failed failed -> tally.failed(failed.failure());
        }
    }

    /** Whether more answers would change nothing. */
    public boolean isDecided() {
        return tally.isDecided();
    }

    /** What it has come to; hands over the newest version, so to be asked once. */
    public ReadResult result() {
        if (tally.isReached()) {
            return new ReadResult.Newest(newest);
        }
        newest.close();
        return new ReadResult.TooFewReplicas(tally.shortage());
    }
}
