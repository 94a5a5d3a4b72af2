package dht.http;

/**
 * Decodes a chunked body: sizes, data, trailers.
 *
 * <pre>
 *   body       | chunk × n | 0 extensions CRLF | trailer × m | CRLF |
 *   chunk      | size in hexadecimal, extensions CRLF | data | CRLF |
 *   extensions | spaces and tabs | ; text |, or nothing
 *   trailer    | a header line CRLF |
 * </pre>
 *
 * <p>A size has at most {@value #SIZE_DIGITS_MAX} digits, including zeros at the beginning. A line
 * with a size has at most {@value #LINE_BYTES_MAX} bytes, including its CRLF. So have all trailers
 * together, including the last CRLF of the body. The name of a trailer consists of visible ASCII
 * characters. An extension, or the value of a trailer, contains no control characters except tabs.
 *
 * <p>Decides exactly as RFC 9112 where a line ends: if two parties disagree about that, they read
 * the same bytes as different requests.
 *
 * <p>Used by one thread at a time.
 */
final class ChunkDecoder {
    private static final int LINE_BYTES_MAX = 4096;
    private static final int SIZE_DIGITS_MAX = 8;

    private enum State {
        SIZE,
        BEFORE_EXTENSION,
        EXTENSION,
        SIZE_LF,
        DATA,
        DATA_CR,
        DATA_LF,
        TRAILER_START,
        TRAILER_NAME,
        TRAILER_VALUE,
        TRAILER_LF,
        LAST_LF,
        DONE
    }

    private State state = State.SIZE;
    private long size;
    private int sizeDigits;
    private int lineBytes;
    private int dataStart;
    private int dataLength;

    /**
     * Decodes bytes up to the end of the next piece of data, of the body, or of the input.
     *
     * @return the index after the last decoded byte; {@link #dataStart} and {@link #dataLength}
     *     then say which bytes are data
     * @throws RequestException if the bytes are malformed, or a line is too long
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
                    begin(State.DATA_CR);
                }
                return at + dataLength;
            }
            feedLine(bytes[at++]);
        }
        return at;
    }

    private void feedLine(byte b) throws RequestException {
        require(++lineBytes <= LINE_BYTES_MAX);
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
                state = State.TRAILER_START; // The limit is for all trailers together.
            }
            case LAST_LF -> endLine(b, State.DONE);
            case DATA, DONE -> throw new IllegalStateException(state.toString());
        }
    }

    private void feedSize(byte b) throws RequestException {
        int digit = Character.digit(b, 16);
        if (digit >= 0) {
            require(++sizeDigits <= SIZE_DIGITS_MAX);
            size = size << 4 | digit;
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

    /** Accepts text without control characters, up to the end of its line. */
    private void feedText(byte b, State afterCarriageReturn) throws RequestException {
        if (b == '\r') {
            state = afterCarriageReturn;
        } else {
            require(!HeadLines.isControl(b) || b == '\t');
        }
    }

    private void feedTrailerName(byte b) throws RequestException {
        if (b == '\r' && state == State.TRAILER_START) {
            state = State.LAST_LF;
        } else if (b == ':' && state == State.TRAILER_NAME) {
            state = State.TRAILER_VALUE;
        } else {
            require(b != ':' && HeadLines.isNameByte(b));
            state = State.TRAILER_NAME;
        }
    }

    private void endLine(byte b, State next) throws RequestException {
        require(b == '\n');
        begin(next);
    }

    private void begin(State next) {
        state = next;
        lineBytes = 0;
        if (next == State.SIZE) {
            size = 0;
            sizeDigits = 0;
        }
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    private static void require(boolean isSo) throws RequestException {
        if (!isSo) {
            throw RequestException.badRequest("malformed chunk or trailer in the body");
        }
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
