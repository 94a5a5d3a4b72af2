/** Counts a superseded write as failed, although the copy is stored: writes fail while another client overwrites the key. */
class WriteRound {
    public void add(WriteAnswer answer) {
        switch (answer) {
            case WriteAnswer.Stored _ -> {
                isAccepted = true;
                acks.done();
            }
            case WriteAnswer.Superseded superseded -> {
                newestMicros = Math.max(newestMicros, superseded.newestMicros());
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
