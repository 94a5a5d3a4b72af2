package dht.replication;

import dht.storage.ReadOutcome;

/**
 * The answers of replicas to one read, and the newest version among them.
 *
 * <p>Used by one thread at a time.
 */
public final class ReadRound {
    private final AckCounter acks;
    private final Confirmation confirmation; // Null for a regular register.
    private ReadOutcome newest = ReadOutcome.Absent.INSTANCE;

    public ReadRound(Quorum quorum, RegisterKind kind) {
        this.acks = new AckCounter(quorum);
        this.confirmation = kind == RegisterKind.ATOMIC ? new Confirmation(quorum) : null;
    }

    /** Adds a replica's answer. This round is then responsible for closing the version in it. */
    public void add(Replica replica, ReadAnswer answer) {
        switch (answer) {
            case ReadAnswer.Looked looked -> {
                take(replica, looked.version());
                acks.done();
            }
            case ReadAnswer.Failed failed -> acks.failed(failed.failure());
        }
    }

    private void take(Replica replica, ReadOutcome version) {
        boolean isTaken = false;
        try {
            if (confirmation != null) {
                confirmation.add(replica, version, newest);
            }
            newest = VersionOrder.of(newest, version);
            isTaken = true;
        } finally {
            if (!isTaken) { // It could not be compared.
                version.close();
            }
        }
    }

    /** Whether the newest version may be returned at once, without a {@link WriteBack}. */
    public boolean isConfirmed() {
        return confirmation == null || confirmation.isQuorum();
    }

    /** The replicas that have the newest version; null for a regular register. */
    Confirmation confirmation() {
        return confirmation;
    }

    /** Whether no further answer is needed: {@code ack} have succeeded, or no longer can. */
    public boolean isDecided() {
        return acks.isDecided();
    }

    /**
     * The outcome, with the newest version, which the caller must close. Call it once, when the
     * round is decided.
     */
    public ReadResult result() {
        if (acks.isReached()) {
            return new ReadResult.Newest(newest);
        }
        ReadResult few = new ReadResult.TooFewReplicas(acks.failure());
        newest.close();
        return few;
    }

    /** Closes the newest version. Called instead of {@link #result}, or after it has thrown. */
    public void abandon() {
        newest.close();
    }
}
