/** Does not note whether a replica has accepted the stamp: the coordinator's own copy waits longer than necessary. */
class WriteRound {
    public void add(WriteAnswer answer) {
        switch (answer) {
            case WriteAnswer.Stored _ -> acks.done();
            case WriteAnswer.Superseded superseded -> {
                newestMicros = Math.max(newestMicros, superseded.newestMicros());
                acks.done();
            }
            case WriteAnswer.Rejected rejected -> acks.failed(rejected.failure());
            case WriteAnswer.Failed failed -> acks.failed(failed.failure());
        }
    }
}
