/** Takes the end of the last size line for the end of the body, and leaves its empty line there. */
class ChunkDecoder {
    private void endLine(byte b, State next) throws RequestException {
        require(b == '\n');
        begin(next == State.TRAILER_START ? State.DONE : next);
    }
}
