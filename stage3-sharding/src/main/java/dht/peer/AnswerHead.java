package dht.peer;

import dht.storage.Dao;
import java.io.IOException;

/**
 * Parses the head of another node's answer, in the buffer that received it. Accepts only what nodes
 * of this program send: an answer must have a Content-Length.
 *
 * <p>Used by one thread at a time.
 */
final class AnswerHead {
    private static final int STATUS_START = "HTTP/1.1 ".length();
    private static final int STATUS_LINE_BYTES_MIN = STATUS_START + 3;
    private static final int DIGITS_MAX = 9;
    private static final int TIMESTAMP_DIGITS_MAX = 18;

    private final byte[] bytes;
    private int length;
    private int status;
    private int bodyBytes;
    private long timestampMicros;
    private boolean saysClose;

    AnswerHead(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Parses the head if it is complete.
     *
     * @param filled number of bytes received
     * @return whether the head is complete
     * @throws IOException if the bytes are not a valid answer
     */
    boolean parse(int filled) throws IOException {
        length = endOfHead(filled);
        if (length < 0) {
            if (filled == bytes.length) {
                throw new IOException("the answer's head is larger than " + filled + " bytes");
            }
            return false;
        }
        parseStatus();
        bodyBytes = -1;
        timestampMicros = 0;
        saysClose = false;
        int line = endOfLine(0) + 2;
        while (line < length - 2) {
            int end = endOfLine(line);
            parseHeader(line, end);
            line = end + 2;
        }
        if (bodyBytes < 0) {
            throw new IOException("the answer has no Content-Length");
        }
        return true;
    }

    private int endOfHead(int filled) {
        for (int i = 3; i < filled; i++) {
            if (bytes[i] == '\n'
                    && bytes[i - 1] == '\r'
                    && bytes[i - 2] == '\n'
                    && bytes[i - 3] == '\r') {
                return i + 1;
            }
        }
        return -1;
    }

    private int endOfLine(int start) {
        int i = start;
        while (bytes[i] != '\r') {
            i++;
        }
        return i;
    }

    private void parseStatus() throws IOException {
        if (length < STATUS_LINE_BYTES_MIN || !isNamed("http/1.", 0)) {
            throw new IOException("the answer is not HTTP");
        }
        status = (int) number(STATUS_START, STATUS_START + 3, DIGITS_MAX);
    }

    private void parseHeader(int start, int end) throws IOException {
        if (isNamed("content-length:", start)) {
            bodyBytes = (int) number(start + "content-length:".length(), end, DIGITS_MAX);
            if (bodyBytes > Dao.MAX_VALUE_BYTES) {
                throw new IOException("the answer is larger than any value: bytes=" + bodyBytes);
            }
        } else if (isNamed("timestamp-micros:", start)) {
            timestampMicros =
                    number(start + "timestamp-micros:".length(), end, TIMESTAMP_DIGITS_MAX);
        } else if (isNamed("connection:", start)) {
            saysClose = isNamed("connection: close", start);
        }
    }

    /**
     * @param text in lower case
     */
    private boolean isNamed(String text, int start) {
        if (start + text.length() > length) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            byte b = bytes[start + i];
            if ((b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b) != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private long number(int start, int end, int digitsMax) throws IOException {
        int first = start;
        while (first < end && bytes[first] == ' ') {
            first++;
        }
        long value = 0;
        for (int i = first; i < end; i++) {
            if (bytes[i] < '0' || bytes[i] > '9' || end - first > digitsMax) {
                throw new IOException("the answer's head has a malformed number");
            }
            value = 10 * value + bytes[i] - '0';
        }
        return first == end ? -1 : value;
    }

    /** The length of the head in bytes, including the empty line. */
    int length() {
        return length;
    }

    int status() {
        return status;
    }

    /** The stamp in the answer; 0 if it has none. */
    long timestampMicros() {
        return timestampMicros;
    }

    int bodyBytes() {
        return bodyBytes;
    }

    boolean saysClose() {
        return saysClose;
    }
}
