/** Sends the write again after each round that finds a newer version: two such writes may never end. */
class WriteRound {
    public WriteResult result() {
        if (!acks.isReached()) {
            return new WriteResult.TooFewReplicas(acks.failure());
        }
        return newestMicros == 0
                ? new WriteResult.Acknowledged()
                : new WriteResult.Outdated(newestMicros);
    }
}
