package dht.benchmarks.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;

/**
 * Finds the end of an HTTP/1.1 response, and its status. Knows bodies of known length, in chunks,
 * and up to the end of the connection; passes over 1xx. Verifies no body. Not thread-safe.
 */
final class ResponseParser {
    /** What is longer of a line is cut off: no header that matters here is. */
    private static final int LINE_BYTES_MAX = 256;

    private enum State {
        STATUS_LINE,
        HEADER,
        BODY,
        BODY_UNTIL_CLOSE,
        CHUNK_SIZE,
        CHUNK,
        CHUNK_END,
        TRAILER,
        DONE
    }

    private final byte[] line = new byte[LINE_BYTES_MAX];
    private int lineLength;
    private State state = State.STATUS_LINE;
    private int status;
    private long remaining;
    private boolean chunked;
    private boolean keepAlive;

    /** Makes ready for the next response. */
    void reset() {
        state = State.STATUS_LINE;
        lineLength = 0;
    }

    boolean isDone() {
        return state == State.DONE;
    }

    /** Of the response that is done. */
    int status() {
        return status;
    }

    /** Whether the connection stays open after the response that is done. */
    boolean isKeepAlive() {
        return keepAlive;
    }

    /**
     * Takes bytes until the response is done.
     *
     * @return the place of the first byte that was not taken
     * @throws IOException if it isn't HTTP
     */
    int feed(byte[] bytes, int from, int to) throws IOException {
        int at = from;
        while (at < to && state != State.DONE) {
            at =
                    switch (state) {
                        case BODY, CHUNK, BODY_UNTIL_CLOSE -> skip(at, to);
                        case STATUS_LINE, HEADER, CHUNK_SIZE, CHUNK_END, TRAILER ->
                                collect(bytes, at, to);
                        case DONE -> at;
                    };
        }
        return at;
    }

    /** The connection has ended: so has a body whose length nobody said. */
    void feedEnd() {
        if (state == State.BODY_UNTIL_CLOSE) {
            state = State.DONE;
        }
    }

    private int skip(int at, int to) {
        int length = (int) Math.min(remaining, to - at);
        remaining -= length;
        if (remaining == 0) {
            state = state == State.CHUNK ? State.CHUNK_END : State.DONE;
        }
        return at + length;
    }

    private int collect(byte[] bytes, int from, int to) throws IOException {
        int at = from;
        while (at < to) {
            byte b = bytes[at++];
            if (b == '\n') {
                if (lineLength > 0 && line[lineLength - 1] == '\r') {
                    lineLength--;
                }
                endLine();
                lineLength = 0;
                return at;
            }
            if (lineLength < LINE_BYTES_MAX) {
                line[lineLength++] = b;
            }
        }
        return at;
    }

    private void endLine() throws IOException {
        switch (state) {
            case STATUS_LINE -> endStatusLine();
            case HEADER -> {
                if (lineLength == 0) {
                    endHead();
                } else {
                    endHeader();
                }
            }
            case CHUNK_SIZE -> {
                remaining = number(0, 16);
                state = remaining == 0 ? State.TRAILER : State.CHUNK;
            }
            case CHUNK_END -> state = State.CHUNK_SIZE;
            case TRAILER -> state = lineLength == 0 ? State.DONE : State.TRAILER;
            case BODY, BODY_UNTIL_CLOSE, CHUNK, DONE -> throw new IllegalStateException();
        }
    }

    /** {@code HTTP/1.1 200 OK}. */
    private void endStatusLine() throws IOException {
        if (lineLength < 12 || !startsWith("http/1.")) {
            throw malformed();
        }
        status = (int) number(9, 10);
        keepAlive = line[7] == '1';
        chunked = false;
        remaining = -1;
        state = State.HEADER;
    }

    private void endHeader() throws IOException {
        if (startsWith("content-length:")) {
            remaining = number("content-length:".length(), 10);
        } else if (startsWith("transfer-encoding:")) {
            chunked = contains("chunked");
        } else if (startsWith("connection:")) {
            keepAlive = contains("keep-alive") || keepAlive && !contains("close");
        }
    }

    private void endHead() {
        if (status < 200) {
            state = State.STATUS_LINE;
        } else if (status == 204 || status == 304 || remaining == 0 && !chunked) {
            state = State.DONE;
        } else if (chunked) {
            state = State.CHUNK_SIZE;
        } else if (remaining > 0) {
            state = State.BODY;
        } else {
            remaining = Long.MAX_VALUE;
            keepAlive = false;
            state = State.BODY_UNTIL_CLOSE;
        }
    }

    private boolean startsWith(String lowerCase) {
        return isAt(0, lowerCase);
    }

    private boolean contains(String lowerCase) {
        for (int i = 0; i + lowerCase.length() <= lineLength; i++) {
            if (isAt(i, lowerCase)) {
                return true;
            }
        }
        return false;
    }

    private boolean isAt(int from, String lowerCase) {
        if (lineLength - from < lowerCase.length()) {
            return false;
        }
        for (int i = 0; i < lowerCase.length(); i++) {
            int b = line[from + i];
            if ((b >= 'A' && b <= 'Z' ? b + 'a' - 'A' : b) != lowerCase.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** The number that begins at a place, after spaces, and ends where its digits end. */
    private long number(int from, int radix) throws IOException {
        int at = from;
        while (at < lineLength && line[at] == ' ') {
            at++;
        }
        long number = 0;
        int digitsFrom = at;
        for (; at < lineLength; at++) {
            int digit = Character.digit(line[at], radix);
            if (digit < 0) {
                break;
            }
            number = number * radix + digit;
        }
        if (at == digitsFrom || at - digitsFrom > 15) {
            throw malformed();
        }
        return number;
    }

    private IOException malformed() {
        return new IOException(
                "malformed response: line=" + new String(line, 0, lineLength, ISO_8859_1));
    }
}
