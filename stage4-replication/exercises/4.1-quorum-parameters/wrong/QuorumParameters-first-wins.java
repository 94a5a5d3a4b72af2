/** Uses `replicas` if it is there, and ignores that `ack` or `from` is there, too. */
class QuorumParameters {
    Quorum of(byte[] replicas, byte[] ack, byte[] from) throws RequestException {
        if (replicas != null) {
            return ofPair(text(replicas));
        }
        return ack == null && from == null ? usual : ofNumbers(ack, from);
    }
}
