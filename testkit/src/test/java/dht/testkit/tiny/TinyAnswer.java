package dht.testkit.tiny;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** An answer that is not sent yet. Immutable. */
final class TinyAnswer {
    private final int status;
    private final List<String> headers;
    private final byte[] body;
    private final Optional<Map<String, byte[]>> entries; // of a range

    private TinyAnswer(
            int status, List<String> headers, byte[] body, Optional<Map<String, byte[]>> entries) {
        this.status = status;
        this.headers = headers;
        this.body = body;
        this.entries = entries;
    }

    static TinyAnswer of(int status, byte[] body) {
        return new TinyAnswer(
                status, List.of("Content-Length: " + body.length), body, Optional.empty());
    }

    static TinyAnswer range(Map<String, byte[]> entries) {
        return new TinyAnswer(
                200,
                List.of("Transfer-Encoding: chunked", "Content-Type: application/octet-stream"),
                new byte[0],
                Optional.of(entries));
    }

    /** An answer whose body is already cut into chunks. */
    static TinyAnswer chunked(byte[] chunks, String mediaType) {
        return new TinyAnswer(
                200,
                List.of("Transfer-Encoding: chunked", "Content-Type: " + mediaType),
                chunks,
                Optional.empty());
    }

    TinyAnswer header(String line) {
        return new TinyAnswer(
                status, Stream.concat(headers.stream(), Stream.of(line)).toList(), body, entries);
    }

    int status() {
        return status;
    }

    byte[] body() {
        return body;
    }

    Optional<Map<String, byte[]>> entries() {
        return entries;
    }

    byte[] head() {
        var out = new StringBuilder("HTTP/1.1 %d Tiny\r\n".formatted(status));
        headers.forEach(line -> out.append(line).append("\r\n"));
        return out.append("\r\n").toString().getBytes(ISO_8859_1);
    }

    static byte[] entry(String key, byte[] value) {
        var out = new ByteArrayOutputStream();
        out.writeBytes((key + "\n").getBytes(UTF_8));
        out.writeBytes(value);
        return out.toByteArray();
    }

    static byte[] entryWithLengths(byte[] key, byte[] value) {
        return ByteBuffer.allocate(2 * Integer.BYTES + key.length + value.length)
                .putInt(key.length)
                .put(key)
                .putInt(value.length)
                .put(value)
                .array();
    }

    static byte[] chunk(byte[] data) {
        var out = new ByteArrayOutputStream();
        out.writeBytes("%x\r\n".formatted(data.length).getBytes(ISO_8859_1));
        out.writeBytes(data);
        out.writeBytes("\r\n".getBytes(ISO_8859_1));
        return out.toByteArray();
    }
}
