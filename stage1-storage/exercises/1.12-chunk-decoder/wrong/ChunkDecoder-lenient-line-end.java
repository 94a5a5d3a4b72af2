/** Takes a line feed alone for a line end, as "be liberal in what you accept" seems to ask. */
class ChunkDecoder {
    private void feedSize(byte b) throws RequestException {
        int digit = Character.digit(b, 16);
        if (digit >= 0) {
            require(++sizeDigits <= SIZE_DIGITS_MAX);
            size = size << 4 | digit;
            return;
        }
        require(sizeDigits > 0);
        if (b == '\n') {
            endLine(b, size == 0 ? State.TRAILER_START : State.DATA);
        } else if (b == '\r') {
            state = State.SIZE_LF;
        } else {
            require(b == ';' || isBlank(b));
            state = b == ';' ? State.EXTENSION : State.BEFORE_EXTENSION;
        }
    }
}
