package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * Parses the head of a request: the request line, and the headers that describe the body and the
 * connection. It has no side effects. Used by one thread.
 *
 * <p>Follows RFC 9112, but does not require the header {@code Host}. Where two parties could read
 * the same bytes as different requests, it is stricter than the RFC. There is one exception: a line
 * may end with LF alone, as section 2.2 allows.
 */
final class HeadParser {
    /** The body length that means: the body is chunked. */
    static final long CHUNKED = -1;

    private static final int DIGITS_MAX = 18;

    /** Compared without regard to case. */
    private static final String SCHEME = "http://";

    private final byte[] head;
    private final HttpOptions options;

    private int lineEnd;
    private int targetStart;
    private int targetEnd;
    private boolean http11;
    private long contentLength;
    private boolean hasContentLength;
    private boolean chunked;
    private boolean expectsContinue;
    private boolean saysClose;
    private boolean saysKeepAlive;

    /**
     * @param head the bytes from the request line to the empty line
     */
    HeadParser(byte[] head, HttpOptions options) {
        this.head = head;
        this.options = options;
    }

    /**
     * @throws RequestException if the request line or a header line is malformed, if there are too
     *     many header lines, or if the length of the body is unclear: the connection must be closed
     */
    HttpRequest parse() throws RequestException {
        int lineFeed = indexOf('\n', 0, head.length);
        lineEnd = lineFeed > 0 && head[lineFeed - 1] == '\r' ? lineFeed - 1 : lineFeed;
        Method method = parseRequestLine();
        parseHeaders(lineFeed + 1);
        if (chunked && hasContentLength) {
            throw RequestException.badRequest(
                    "Content-Length and Transfer-Encoding must not be used together");
        }
        int pathStart = pathStart();
        int pathEnd = indexOf('?', pathStart, targetEnd);
        boolean keepAlive = http11 ? !saysClose : saysKeepAlive && !saysClose;
        return new HttpRequest(
                head, method, pathStart, pathEnd, targetEnd, lineFeed + 1, http11, keepAlive);
    }

    /** The length of the body in bytes, or {@link #CHUNKED}. */
    long bodyBytes() {
        return chunked ? CHUNKED : contentLength;
    }

    boolean expectsContinue() {
        return expectsContinue && http11;
    }

    private Method parseRequestLine() throws RequestException {
        int methodEnd = indexOf(' ', 0, lineEnd);
        targetStart = methodEnd + 1;
        targetEnd = indexOf(' ', targetStart, lineEnd);
        int versionStart = targetEnd + 1;
        boolean isWhole = methodEnd > 0 && targetEnd > targetStart && isVersion(versionStart);
        if (!isWhole || !isVisible(0, methodEnd) || !isVisible(targetStart, targetEnd)) {
            throw RequestException.badRequest("request line must be: METHOD TARGET HTTP/1.1");
        }
        http11 = head[versionStart + 7] == '1';
        return method(methodEnd);
    }

    private boolean isVersion(int start) {
        return lineEnd - start == 8
                && matches("HTTP/1.", start)
                && (head[start + 7] == '0' || head[start + 7] == '1');
    }

    private boolean matches(String text, int start) {
        for (int i = 0; i < text.length(); i++) {
            if (head[start + i] != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether the bytes contain neither control characters nor spaces. Bytes above 127 are allowed,
     * because they may be UTF-8.
     */
    private boolean isVisible(int start, int end) {
        for (int i = start; i < end; i++) {
            if (head[i] == ' ' || HeadLines.isControl(head[i])) {
                return false;
            }
        }
        return true;
    }

    private Method method(int end) {
        return switch (end) {
            case 3 ->
                    matches("GET", 0) ? Method.GET : matches("PUT", 0) ? Method.PUT : Method.OTHER;
            case 4 -> matches("HEAD", 0) ? Method.HEAD : Method.OTHER;
            case 6 -> matches("DELETE", 0) ? Method.DELETE : Method.OTHER;
            default -> Method.OTHER;
        };
    }

    /**
     * The index at which the path begins: after scheme and host, if the target contains them. The
     * path may be empty; the text after a question mark is the query in any case.
     */
    private int pathStart() {
        int hostStart = targetStart + SCHEME.length();
        if (hostStart >= targetEnd || !isScheme(targetStart)) {
            return targetStart;
        }
        int queryStart = indexOf('?', hostStart, targetEnd);
        int pathStart = indexOf('/', hostStart, queryStart);
        return pathStart == hostStart ? targetStart : pathStart; // A host is never empty.
    }

    private boolean isScheme(int start) {
        for (int i = 0; i < SCHEME.length(); i++) {
            if (HeadLines.lower(head[start + i]) != SCHEME.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private void parseHeaders(int start) throws RequestException {
        HeadLines lines = new HeadLines(head, start, head.length);
        int count = 0;
        while (lines.next()) {
            if (++count > options.headerCountMax()) {
                throw new RequestException(
                        Response.of(
                                Status.HEADERS_TOO_LARGE,
                                "more than " + options.headerCountMax() + " header lines"));
            }
            if (!lines.isWellFormed()) {
                throw RequestException.badRequest("malformed header line");
            }
            parseHeader(lines);
        }
    }

    private void parseHeader(HeadLines line) throws RequestException {
        if (line.isNamed("Content-Length")) {
            parseContentLength(line.value());
        } else if (line.isNamed("Transfer-Encoding")) {
            if (chunked || !http11 || !line.value().equalsIgnoreCase("chunked")) {
                throw RequestException.badRequest(
                        "Transfer-Encoding: only chunked is understood, over HTTP/1.1");
            }
            chunked = true;
        } else if (line.isNamed("Connection")) {
            for (String option : line.value().split(",")) {
                saysClose |= option.strip().equalsIgnoreCase("close");
                saysKeepAlive |= option.strip().equalsIgnoreCase("keep-alive");
            }
        } else if (line.isNamed("Expect")) {
            expectsContinue |= line.value().equalsIgnoreCase("100-continue");
        }
    }

    private void parseContentLength(String value) throws RequestException {
        boolean isNumber = !value.isEmpty() && value.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!isNumber || hasContentLength) {
            throw RequestException.badRequest("Content-Length must be one number");
        }
        String digits = value.length() <= DIGITS_MAX ? value : value.replaceFirst("^0+(?=.)", "");
        // A number with more digits is greater than any limit.
        contentLength = digits.length() > DIGITS_MAX ? Long.MAX_VALUE : Long.parseLong(digits);
        hasContentLength = true;
    }

    private int indexOf(char wanted, int start, int end) {
        int i = Math.min(start, end);
        while (i < end && head[i] != wanted) {
            i++;
        }
        return i;
    }

    /** The beginning of the head, for messages. */
    @Override
    public String toString() {
        return new String(head, 0, Math.min(head.length, 80), ISO_8859_1);
    }
}
