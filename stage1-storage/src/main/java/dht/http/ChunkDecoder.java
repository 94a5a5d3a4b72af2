package dht.http;

/**
 * Takes a body in chunks apart: sizes, data, trailers.
 *
 * <pre>
 *   body   | chunk × n | 0 CRLF | trailer line × m | CRLF |
 *   chunk  | size in hexadecimal [; extension] CRLF | data | CRLF |
 * </pre>
 *
 * <p>Used by one thread at a time.
 */
final class ChunkDecoder {
    private static final int LINE_BYTES_MAX = 4096;

    private enum State {
        SIZE,
        EXTENSION,
        DATA,
        AFTER_DATA,
        TRAILER,
        DONE
    }

    private State state = State.SIZE;
    private long size;
    private int sizeDigits;
    private int lineBytes;
    private boolean trailerLineIsEmpty = true;
    private int dataStart;
    private int dataLength;

    /**
     * Takes bytes up to the end of the next piece of data, of the body, or of what there is.
     *
     * @return how far it went; then {@link #dataStart} and {@link #dataLength} say which of the
     *     bytes are data
     */
    int feed(byte[] bytes, int from, int to) throws RequestException {
        dataLength = 0;
        int at = from;
        while (at < to && state != State.DONE) {
            if (state == State.DATA) {
                dataStart = at;
                dataLength = (int) Math.min(to - at, size);
                size -= dataLength;
                if (size == 0) {
                    state = State.AFTER_DATA;
                }
                return at + dataLength;
            }
            feedLine(bytes[at++]);
        }
        return at;
    }

    private void feedLine(byte b) throws RequestException {
        if (++lineBytes > LINE_BYTES_MAX) {
            throw malformed();
        }
        switch (state) {
            case SIZE -> feedSize(b);
            case EXTENSION -> {
                if (b == '\n') {
                    endSizeLine();
                }
            }
            case AFTER_DATA -> {
                if (b == '\n') {
                    begin(State.SIZE);
                } else if (b != '\r') {
                    throw malformed();
                }
            }
            case TRAILER -> feedTrailer(b);
            case DATA, DONE -> throw new IllegalStateException(state.toString());
        }
    }

    private void feedSize(byte b) throws RequestException {
        int digit = Character.digit(b, 16);
        if (digit >= 0) {
            size = size << 4 | digit;
            if (++sizeDigits > 8) {
                throw malformed();
            }
        } else if (sizeDigits == 0) {
            throw malformed();
        } else if (b == '\n') {
            endSizeLine();
        } else if (b == ';' || b == '\r' || b == ' ' || b == '\t') {
            state = State.EXTENSION;
        } else {
            throw malformed();
        }
    }

    private void endSizeLine() {
        begin(size == 0 ? State.TRAILER : State.DATA);
    }

    private void feedTrailer(byte b) {
        if (b == '\n') {
            if (trailerLineIsEmpty) {
                state = State.DONE;
            }
            trailerLineIsEmpty = true;
        } else if (b != '\r') {
            trailerLineIsEmpty = false;
        }
    }

    private void begin(State next) {
        state = next;
        lineBytes = 0;
        if (next == State.SIZE) {
            size = 0;
            sizeDigits = 0;
        }
    }

    private static RequestException malformed() {
        return RequestException.badRequest("malformed chunk in the body");
    }

    boolean isDone() {
        return state == State.DONE;
    }

    int dataStart() {
        return dataStart;
    }

    int dataLength() {
        return dataLength;
    }
}
