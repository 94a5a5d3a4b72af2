/** Takes a line with a name and no colon for a trailer without a value. */
class ChunkDecoder {
    private void feedTrailerName(byte b) throws RequestException {
        if (b == '\r') {
            state = state == State.TRAILER_START ? State.LAST_LF : State.TRAILER_LF;
        } else if (b == ':' && state == State.TRAILER_NAME) {
            state = State.TRAILER_VALUE;
        } else {
            require(b != ':' && HeadLines.isNameByte(b));
            state = State.TRAILER_NAME;
        }
    }
}
