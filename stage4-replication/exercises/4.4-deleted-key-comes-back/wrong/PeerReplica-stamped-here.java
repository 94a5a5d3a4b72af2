/** Gives the deletion a new stamp of the current time: it wins over values that were written after it. */
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
                : new ReadAnswer.Looked(new ReadOutcome.Deleted(clock.nextMicros()));
    }
}
