package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * A parsed request. The head is kept as bytes; parameters and headers are searched only on demand.
 *
 * <p>Immutable after parsing; any thread may read it.
 */
public final class HttpRequest {
    private final byte[] head;
    private final Method method;
    private final int pathStart;
    private final int pathEnd;
    private final int targetEnd;
    private final int headersStart;
    private final boolean http11;
    private final boolean keepAlive;
    private OwnedBytes body = OwnedBytes.EMPTY;
    private RequestTrace trace = RequestTrace.OFF;

    HttpRequest(
            byte[] head,
            Method method,
            int pathStart,
            int pathEnd,
            int targetEnd,
            int headersStart,
            boolean http11,
            boolean keepAlive) {
        this.head = head;
        this.method = method;
        this.pathStart = pathStart;
        this.pathEnd = pathEnd;
        this.targetEnd = targetEnd;
        this.headersStart = headersStart;
        this.http11 = http11;
        this.keepAlive = keepAlive;
    }

    public Method method() {
        return method;
    }

    /** The path as it was sent, without the query. */
    public String path() {
        return new String(head, pathStart, pathEnd - pathStart, ISO_8859_1);
    }

    boolean isHttp11() {
        return http11;
    }

    /**
     * The body of a PUT. For other methods it is always empty, even if the client has sent a body.
     */
    public OwnedBytes body() {
        return body;
    }

    void body(OwnedBytes bytes) {
        body = bytes;
    }

    /** The record of when this request passed each point on its way through the server. */
    RequestTrace trace() {
        return trace;
    }

    void trace(RequestTrace begun) {
        trace = begun;
    }

    /** What happens to the connection after the answer. */
    Persistence persistence() {
        if (!keepAlive) {
            return Persistence.CLOSE;
        }
        return http11 ? Persistence.IMPLIED : Persistence.KEEP_ALIVE;
    }

    /**
     * The value of a query parameter, percent-decoded.
     *
     * @return null if the parameter is missing
     * @throws RequestException if the parameter is given twice, or cannot be decoded to UTF-8
     */
    public byte[] parameter(String name) throws RequestException {
        byte[] value = null;
        int start = pathEnd + 1;
        while (start <= targetEnd && pathEnd < targetEnd) {
            int end = indexOf((byte) '&', start, targetEnd);
            if (isNamed(name, start, end)) {
                if (value != null) {
                    throw RequestException.badRequest(name + ": given twice");
                }
                int valueStart = Math.min(end, start + name.length() + 1);
                value = PercentDecoder.decode(name, head, valueStart, end);
            }
            start = end + 1;
        }
        return value;
    }

    private boolean isNamed(String name, int start, int end) {
        int length = name.length();
        if (end - start < length || end - start > length && head[start + length] != '=') {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (head[start + i] != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private int indexOf(byte wanted, int start, int end) {
        int i = start;
        while (i < end && head[i] != wanted) {
            i++;
        }
        return i;
    }

    /** Whether an {@code Accept} header names a media type, without wildcards, and not with q=0. */
    boolean accepts(String mediaType) {
        HeadLines lines = new HeadLines(head, headersStart, head.length);
        while (lines.next()) {
            if (lines.isNamed("Accept") && isAccepted(mediaType, lines.value())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAccepted(String mediaType, String accept) {
        for (String range : accept.split(",")) {
            String[] parts = range.split(";");
            boolean isRuledOut = false;
            for (int i = 1; i < parts.length; i++) {
                isRuledOut |= parts[i].strip().matches("[qQ]=0(\\.0*)?");
            }
            if (parts.length > 0 && parts[0].strip().equalsIgnoreCase(mediaType) && !isRuledOut) {
                return true;
            }
        }
        return false;
    }

    /**
     * The value of a header, trimmed.
     *
     * @param name compared without regard to case
     * @return null if the header is missing; the first value if there are several
     */
    public String header(String name) {
        HeadLines lines = new HeadLines(head, headersStart, head.length);
        while (lines.next()) {
            if (lines.isNamed(name)) {
                return lines.value();
            }
        }
        return null;
    }
}
