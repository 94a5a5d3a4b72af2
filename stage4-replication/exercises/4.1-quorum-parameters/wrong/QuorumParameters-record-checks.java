/** Lets the record refuse what cannot be: its exception is a mistake of the program, and the client gets 500. */
class QuorumParameters {
    private Quorum checked(String given, int ack, int from) throws RequestException {
        if (from > nodeCount) {
            throw RequestException.badRequest(given + ": too many");
        }
        return new Quorum(ack, from);
    }
}
