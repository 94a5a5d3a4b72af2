/** Compares `ack` with `from`, but not `from` with the number of nodes. */
class QuorumParameters {
    private Quorum checked(String given, int ack, int from) throws RequestException {
        if (ack < 1) {
            throw RequestException.badRequest(given + ": ack must be at least 1");
        }
        if (ack > from) {
            throw RequestException.badRequest(given + ": ack must not exceed from");
        }
        return new Quorum(ack, from);
    }
}
