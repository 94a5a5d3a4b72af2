/** Lets the record reject impossible numbers: its exception counts as a mistake of the program, so the client gets 500. */
class QuorumParameters {
    private Quorum checked(String given, int ack, int from) throws RequestException {
        if (from > nodeCount) {
            throw RequestException.badRequest(given + ": too many");
        }
        return new Quorum(ack, from);
    }
}
