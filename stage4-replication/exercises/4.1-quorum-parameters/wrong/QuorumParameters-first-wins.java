/** Takes `replicas` where it is there, and ignores that the client said something else besides. */
class QuorumParameters {
    Quorum of(byte[] replicas, byte[] ack, byte[] from) throws RequestException {
        if (replicas != null) {
            return ofPair(text(replicas));
        }
        return ack == null && from == null ? usual : ofNumbers(ack, from);
    }
}
