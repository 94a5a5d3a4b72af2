/** Takes a late answer for a failure, though the copy is stored: writes fail while another client overwrites the key. */
class WriteRound {
    public void add(WriteAnswer answer) {
        switch (answer) {
            case WriteAnswer.Stored _ -> {
                isBelieved = true;
                acks.done();
            }
            case WriteAnswer.Late late -> {
                newestMicros = Math.max(newestMicros, late.newestMicros());
                acks.failed(new ReplicaFailure("a node", "has a newer version"));
            }
            case WriteAnswer.Rejected rejected -> {
                isRejected = true;
                acks.failed(rejected.failure());
            }
            case WriteAnswer.Failed failed -> acks.failed(failed.failure());
        }
    }
}
