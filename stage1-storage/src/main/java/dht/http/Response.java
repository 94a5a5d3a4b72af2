package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import one.nio.util.ByteArrayBuilder;

/**
 * An answer with a body that is complete when the answer is created.
 *
 * <p>Immutable, so one instance can answer any number of requests.
 */
public final class Response {
    private static final byte[] NO_BODY = {};

    private final Status status;
    private final byte[] head;
    private final byte[] body;
    private final byte[] usualEncoding;

    private Response(Status status, String reason, String headers, byte[] body) {
        this.status = status;
        this.head =
                ("HTTP/1.1 "
                                + status.code()
                                + ' '
                                + reason
                                + "\r\n"
                                + headers
                                + "Content-Length: "
                                + body.length
                                + "\r\n")
                        .getBytes(ISO_8859_1);
        this.body = body;
        this.usualEncoding = encodeAnew(Persistence.IMPLIED, true);
    }

    /** An answer with a status and no body. */
    public static Response of(Status status) {
        return new Response(status, status.reason(), "", NO_BODY);
    }

    /** An answer with a line of plain text that says what was wrong. */
    public static Response of(Status status, String line) {
        return withHeader(status, "", line);
    }

    /**
     * An answer with a line of plain text and another header.
     *
     * @param header such as {@code Allow: GET}, or empty
     */
    public static Response withHeader(Status status, String header, String line) {
        String headers = header.isEmpty() ? "" : header + "\r\n";
        return new Response(
                status,
                status.reason(),
                headers + "Content-Type: text/plain; charset=utf-8\r\n",
                line.getBytes(UTF_8));
    }

    /** 503: the client may succeed if it tries again after a second. */
    public static Response unavailable(String line) {
        return withHeader(Status.SERVICE_UNAVAILABLE, "Retry-After: 1", line);
    }

    /**
     * 200 with text.
     *
     * @param contentType such as {@code text/plain; charset=utf-8}
     */
    public static Response text(String contentType, byte[] text) {
        return new Response(
                Status.OK, Status.OK.reason(), "Content-Type: " + contentType + "\r\n", text);
    }

    public Status status() {
        return status;
    }

    /** The bytes to send. The caller must not change them. */
    byte[] encode(Persistence persistence, boolean withBody) {
        return persistence == Persistence.IMPLIED && withBody
                ? usualEncoding
                : encodeAnew(persistence, withBody);
    }

    private byte[] encodeAnew(Persistence persistence, boolean withBody) {
        ByteArrayBuilder bytes =
                new ByteArrayBuilder(head.length + persistence.header().length + 2 + body.length);
        bytes.append(head).append(persistence.header()).append('\r').append('\n');
        if (withBody) {
            bytes.append(body);
        }
        return Arrays.copyOf(bytes.buffer(), bytes.length());
    }
}
