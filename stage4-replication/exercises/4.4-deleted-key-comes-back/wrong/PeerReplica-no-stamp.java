/** Makes a deletion of it, but with stamp 0, because there is no value: every value is then newer. */
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
        return new ReadAnswer.Looked(new ReadOutcome.Deleted(0));
    }
}
