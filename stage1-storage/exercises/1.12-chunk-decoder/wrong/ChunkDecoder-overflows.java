/** Counts no digits, as "the size is checked by the parser, which knows the greatest body". */
class ChunkDecoder {
    private void feedSize(byte b) throws RequestException {
        int digit = Character.digit(b, 16);
        if (digit >= 0) {
            sizeDigits = 1;
            size = (int) size << 4 | digit;
            return;
        }
        require(sizeDigits > 0);
        if (b == '\r') {
            state = State.SIZE_LF;
        } else {
            require(b == ';' || isBlank(b));
            state = b == ';' ? State.EXTENSION : State.BEFORE_EXTENSION;
        }
    }
}
