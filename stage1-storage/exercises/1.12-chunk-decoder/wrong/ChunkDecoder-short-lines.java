/** Allows one byte less than the limit, and refuses bodies that the other side may send. */
class ChunkDecoder {
    private void feedLine(byte b) throws RequestException {
        require(++lineBytes < LINE_BYTES_MAX);
        switch (state) {
            case SIZE -> feedSize(b);
            case BEFORE_EXTENSION -> {
                require(b == ';' || isBlank(b));
                state = b == ';' ? State.EXTENSION : State.BEFORE_EXTENSION;
            }
            case EXTENSION -> feedText(b, State.SIZE_LF);
            case SIZE_LF -> endLine(b, size == 0 ? State.TRAILER_START : State.DATA);
            case DATA_CR -> {
                require(b == '\r');
                state = State.DATA_LF;
            }
            case DATA_LF -> endLine(b, State.SIZE);
            case TRAILER_START, TRAILER_NAME -> feedTrailerName(b);
            case TRAILER_VALUE -> feedText(b, State.TRAILER_LF);
            case TRAILER_LF -> {
                require(b == '\n');
                state = State.TRAILER_START;
            }
            case LAST_LF -> endLine(b, State.DONE);
            case DATA, DONE -> throw new IllegalStateException(state.toString());
        }
    }
}
