package dht.testkit.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.testkit.transcript.ShellLine;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.util.List;
import java.util.stream.Stream;

/**
 * One HTTP request, which is sent byte by byte as it is described. Immutable, so threads may share
 * it. The caller must not change the body that it has passed.
 *
 * <p>A body adds its Content-Length header, except with {@link #unframed}.
 */
public final class Request {
    private final String method;
    private final String target;
    private final String version;
    private final List<String> headers;
    private final byte[] body; // null: none

    private Request(
            String method, String target, String version, List<String> headers, byte[] body) {
        this.method = method;
        this.target = target;
        this.version = version;
        this.headers = headers;
        this.body = body;
    }

    /** A request without a body. */
    public static Request of(String method, String target) {
        return new Request(method, target, "HTTP/1.1", List.of(), null);
    }

    public static Request get(String target) {
        return of("GET", target);
    }

    public static Request put(String target, byte[] body) {
        return of("PUT", target).body(body);
    }

    public static Request delete(String target) {
        return of("DELETE", target);
    }

    /** The same request with one more header line, which is sent unchanged. */
    public Request header(String line) {
        return new Request(
                method,
                target,
                version,
                Stream.concat(headers.stream(), Stream.of(line)).toList(),
                body);
    }

    /** The same request with a body and its Content-Length. */
    public Request body(byte[] bytes) {
        return new Request(method, target, version, headers, bytes)
                .header("Content-Length: " + bytes.length);
    }

    /** The same request with a body, but without a Content-Length. */
    public Request unframed(byte[] bytes) {
        return new Request(method, target, version, headers, bytes);
    }

    /** The same request with another HTTP version, such as {@code HTTP/1.0}. */
    public Request version(String name) {
        return new Request(method, target, name, headers, body);
    }

    public String method() {
        return method;
    }

    /** All bytes of the request. */
    public byte[] bytes(String host) {
        var head = head(host);
        if (body == null) {
            return head;
        }
        var out = new ByteArrayOutputStream(head.length + body.length);
        out.writeBytes(head);
        out.writeBytes(body);
        return out.toByteArray();
    }

    /** The bytes of the head, including the empty line. */
    public byte[] head(String host) {
        var out = new StringBuilder();
        out.append(method).append(' ').append(target).append(' ').append(version).append("\r\n");
        out.append("Host: ").append(host).append("\r\n");
        headers.forEach(line -> out.append(line).append("\r\n"));
        return out.append("\r\n").toString().getBytes(ISO_8859_1);
    }

    byte[] body() {
        return body;
    }

    /** The request as a command for a shell. */
    public String shellLine(URI base) {
        var own =
                headers.stream()
                        .filter(line -> body == null || !line.startsWith("Content-Length: "))
                        .toList();
        return ShellLine.curl(
                method, version.equals("HTTP/1.0") ? "--http1.0" : "", base, target, own, body);
    }
}
