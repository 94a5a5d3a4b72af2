package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * Iterates over the header lines of a request's head. Lines end with LF or CR LF. Starts before the
 * first line, and ends at the empty line.
 *
 * <p>Not thread-safe.
 */
final class HeadLines {
    private final byte[] bytes;
    private final int end;
    private int next;
    private int lineStart;
    private int lineEnd;
    private int colon;

    HeadLines(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.next = start;
        this.end = end;
    }

    boolean next() {
        lineStart = next;
        colon = -1;
        int i = lineStart;
        while (i < end && bytes[i] != '\n') {
            if (bytes[i] == ':' && colon < 0) {
                colon = i;
            }
            i++;
        }
        next = i + 1;
        lineEnd = i > lineStart && bytes[i - 1] == '\r' ? i - 1 : i;
        return lineEnd > lineStart;
    }

    /**
     * Whether the line is a name of visible ASCII characters, a colon, and a value without control
     * characters other than tabs.
     */
    boolean isWellFormed() {
        if (colon <= lineStart) {
            return false;
        }
        for (int i = lineStart; i < colon; i++) {
            if (!isNameByte(bytes[i])) {
                return false;
            }
        }
        for (int i = colon + 1; i < lineEnd; i++) {
            if (isControl(bytes[i]) && bytes[i] != '\t') {
                return false;
            }
        }
        return true;
    }

    static boolean isNameByte(byte b) {
        return b > ' ' && b != 0x7f;
    }

    /** Bytes above 127 are not control characters: they may be UTF-8. */
    static boolean isControl(byte b) {
        return b >= 0 && b < ' ' || b == 0x7f;
    }

    /**
     * @param name compared without regard to case
     */
    boolean isNamed(String name) {
        if (colon - lineStart != name.length()) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (lower(bytes[lineStart + i]) != lower((byte) name.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    static int lower(byte character) {
        return character >= 'A' && character <= 'Z' ? character + ('a' - 'A') : character;
    }

    String value() {
        return new String(bytes, colon + 1, lineEnd - colon - 1, ISO_8859_1).strip();
    }
}
