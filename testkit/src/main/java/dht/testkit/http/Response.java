package dht.testkit.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Preview;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One complete HTTP answer. Each {@code expect} method returns the answer itself, or throws a
 * {@link Mismatch}.
 *
 * <p>Threads may share it.
 */
public final class Response {
    private static final int ERROR_LINE_BYTES_MAX = 1024;
    private static final List<String> SHOWN_HEADERS =
            List.of(
                    "Allow",
                    "Connection",
                    "Retry-After",
                    "Content-Type",
                    "Timestamp-Micros",
                    "Transfer-Encoding");

    private final ResponseHead head;
    private final byte[] body;
    private final List<byte[]> chunks; // empty unless chunked

    Response(ResponseHead head, byte[] body, List<byte[]> chunks) {
        this.head = head;
        this.body = body;
        this.chunks = chunks;
    }

    public int status() {
        return head.status();
    }

    /** The value of a header; empty if there is none. */
    public Optional<String> header(String name) {
        return head.header(name);
    }

    /** The body. The caller must not change it. */
    public byte[] body() {
        return body;
    }

    /**
     * The chunks as they arrived, without the terminating one; empty if the answer is not chunked.
     */
    public List<byte[]> chunks() {
        return chunks;
    }

    /** Whether the server announces that it closes the connection after this answer. */
    public boolean announcesClose() {
        return head.announcesClose();
    }

    /** Checks that the status is one of these. */
    public Response expectStatus(int... allowed) {
        if (Arrays.stream(allowed).noneMatch(status -> status == head.status())) {
            var words = Arrays.stream(allowed).mapToObj(Integer::toString);
            var expected = words.collect(Collectors.joining(" or ", "status ", ""));
            throw new Mismatch(expected, "status " + summary());
        }
        return this;
    }

    /** Checks for 200 with exactly these bytes. */
    public Response expectValue(byte[] value) {
        expectStatus(200);
        return expectBody(value);
    }

    /** Checks for exactly these bytes, with any status. */
    public Response expectBody(byte[] expected) {
        var difference = Arrays.mismatch(expected, body);
        if (difference >= 0) {
            throw new Mismatch(
                    Preview.of(expected),
                    "%s, different from byte %,d on".formatted(Preview.of(body), difference));
        }
        return this;
    }

    /** Checks for one of these statuses with a body of one line of plain text. */
    public Response expectError(int... statuses) {
        expectStatus(statuses);
        var type = header("Content-Type").orElse("none").toLowerCase(Locale.ROOT).replace(" ", "");
        if (!type.equals("text/plain;charset=utf-8")) {
            var expected = "an error with Content-Type: text/plain; charset=utf-8";
            throw new Mismatch(expected, "Content-Type: " + type);
        }
        if (!isOneLine(body)) {
            var expected = "an error body of one line that says what was wrong";
            throw new Mismatch(expected, Preview.of(body));
        }
        return this;
    }

    private static boolean isOneLine(byte[] body) {
        var text = new String(body, UTF_8);
        return body.length <= ERROR_LINE_BYTES_MAX
                && text.lines().count() == 1
                && !text.isBlank()
                && !text.contains("\uFFFD");
    }

    /** Checks for a chunked 200 with exactly these chunks. */
    public Response expectChunks(List<byte[]> expected) {
        expectStatus(200);
        if (!head.isChunked()) {
            throw new Mismatch("Transfer-Encoding: chunked", summary());
        }
        for (var i = 0; i < Math.min(expected.size(), chunks.size()); i++) {
            if (!Arrays.equals(expected.get(i), chunks.get(i))) {
                var chunk = "chunk %,d to be %s".formatted(i + 1, Preview.of(expected.get(i)));
                throw new Mismatch(chunk, Preview.of(chunks.get(i)));
            }
        }
        if (expected.size() != chunks.size()) {
            var got = "%,d chunks".formatted(chunks.size());
            throw new Mismatch("%,d chunks".formatted(expected.size()), got);
        }
        return this;
    }

    /** The answer as one line of a transcript. */
    String summary() {
        var shown = new StringBuilder();
        for (var name : SHOWN_HEADERS) {
            head.header(name).ifPresent(value -> shown.append(name + ": " + value + ", "));
        }
        var inChunks = head.isChunked() ? " in %,d chunks".formatted(chunks.size()) : "";
        return "%d %s, %s%s%s"
                .formatted(status(), head.reason(), shown, Preview.of(body), inChunks);
    }
}
