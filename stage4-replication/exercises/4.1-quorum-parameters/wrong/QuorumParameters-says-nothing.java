/** Refuses impossible numbers, but does not say which: the client cannot know what its number was compared with. */
class QuorumParameters {
    private Quorum checked(String given, int ack, int from) throws RequestException {
        if (ack < 1 || ack > from || from > nodeCount) {
            throw RequestException.badRequest("the quorum is impossible");
        }
        return new Quorum(ack, from);
    }
}
