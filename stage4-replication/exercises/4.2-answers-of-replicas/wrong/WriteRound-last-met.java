/** Keeps the last stamp that it has seen instead of the greatest: the new stamp may again be too small. */
class WriteRound {
    public void add(WriteAnswer answer) {
        switch (answer) {
            case WriteAnswer.Stored _ -> {
                isAccepted = true;
                acks.done();
            }
            case WriteAnswer.Superseded superseded -> {
                isAccepted = true;
                newestMicros = superseded.newestMicros();
                acks.done();
            }
            case WriteAnswer.Rejected rejected -> {
                isRejected = true;
                acks.failed(rejected.failure());
            }
            case WriteAnswer.Failed failed -> acks.failed(failed.failure());
        }
    }
}
