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
        return answered.status() == Status.NOT_FOUND.code()
                ? new ReadAnswer.Looked(ReadOutcome.Absent.INSTANCE)
                : new ReadAnswer.Failed(failure(answered));
    }
}
