/** Sends the write anew after each round that meets something newer: two such writes never end. */
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
