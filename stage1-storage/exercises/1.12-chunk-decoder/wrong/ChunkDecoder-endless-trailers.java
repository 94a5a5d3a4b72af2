/** Counts the bytes of each trailer by itself: a client can send short ones for ever. */
class ChunkDecoder {
    private void feedTrailerName(byte b) throws RequestException {
        if (b == '\r' && state == State.TRAILER_START) {
            state = State.LAST_LF;
        } else if (b == ':' && state == State.TRAILER_NAME) {
            state = State.TRAILER_VALUE;
        } else {
            require(b != ':' && HeadLines.isNameByte(b));
            lineBytes = state == State.TRAILER_START ? 1 : lineBytes;
            state = State.TRAILER_NAME;
        }
    }
}
