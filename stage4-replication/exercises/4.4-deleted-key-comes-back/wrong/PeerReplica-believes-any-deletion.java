/** Uses a deletion also if its stamp is too far ahead: the client gets 404, and no other replica is asked. */
class PeerReplica {
    private ReadAnswer taken(PeerAnswer answer) {
        if (!(answer instanceof Answered answered)) {
            return new ReadAnswer.Failed(failure(answer));
        }
        boolean isFound = answered.status() == Status.OK.code();
        if (isFound && answered.timestampMicros() > 0) {
            return observed(answered, true);
        }
        answered.release();
        if (isFound || answered.status() != Status.NOT_FOUND.code()) {
            return new ReadAnswer.Failed(failure(answered));
        }
        return answered.timestampMicros() == 0
                ? new ReadAnswer.Looked(ReadOutcome.Absent.INSTANCE)
                : deleted(answered.timestampMicros());
    }

    private ReadAnswer deleted(long timestampMicros) {
        try {
            clock.observe(timestampMicros);
        } catch (StampAheadException _) {
            // Another node's clock is wrong: this node's clock stays.
        }
        return new ReadAnswer.Looked(new ReadOutcome.Deleted(timestampMicros));
    }
}
