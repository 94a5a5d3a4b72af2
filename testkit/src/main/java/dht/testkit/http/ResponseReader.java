package dht.testkit.http;

import dht.testkit.transcript.Mismatch;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A strict parser of HTTP answers: what the contract does not allow is a {@link Mismatch}. For one
 * thread at a time.
 */
final class ResponseReader {
    private static final Pattern CHUNK_SIZE = Pattern.compile("[0-9a-fA-F]{1,7}");
    private static final int BODY_BYTES_MAX = 64 << 20;
    private static final byte[] NO_BYTES = {};

    private final Incoming in;

    ResponseReader(Incoming in) {
        this.in = in;
    }

    /** Reads a complete answer. */
    Response response() {
        var head = ResponseHead.read(in);
        if (head.isChunked()) {
            return chunked(head);
        }
        return new Response(head, head.hasNoBody() ? NO_BYTES : body(head), List.of());
    }

    /** Reads an answer that consists of a head only. */
    Response responseToHead() {
        return new Response(ResponseHead.read(in), NO_BYTES, List.of());
    }

    /** Reads the head of a chunked 200. */
    Response beginningOfChunked() {
        var head = ResponseHead.read(in);
        if (head.status() != 200 || !head.isChunked()) {
            throw new Mismatch("status 200 with Transfer-Encoding: chunked", head.toString());
        }
        return new Response(head, NO_BYTES, List.of());
    }

    /** Reads the next chunk; empty for the terminating one. */
    Optional<byte[]> nextChunk() {
        var size = in.line();
        if (!CHUNK_SIZE.matcher(size).matches()) {
            throw new Mismatch("the size of a chunk in hexadecimal, or 0 at the end", quote(size));
        }
        var data = in.exactly(Integer.parseInt(size, 16));
        var end = in.line();
        if (!end.isEmpty()) {
            throw new Mismatch(
                    "CRLF after a chunk of %,d bytes".formatted(data.length), quote(end));
        }
        return data.length == 0 ? Optional.empty() : Optional.of(data);
    }

    private Response chunked(ResponseHead head) {
        var chunks = new ArrayList<byte[]>();
        var body = new ByteArrayOutputStream();
        for (var chunk = nextChunk(); chunk.isPresent(); chunk = nextChunk()) {
            chunks.add(chunk.get());
            body.writeBytes(chunk.get());
        }
        return new Response(head, body.toByteArray(), chunks);
    }

    private byte[] body(ResponseHead head) {
        var length = head.header("Content-Length");
        if (length.isPresent()) {
            return in.exactly(contentLength(length.get()));
        }
        if (head.announcesClose() || head.version().equals("HTTP/1.0")) {
            return in.untilEnd(BODY_BYTES_MAX);
        }
        var got = "neither, on a connection that stays open";
        throw new Mismatch("a Content-Length or a chunked body", got);
    }

    private static int contentLength(String text) {
        try {
            var length = Integer.parseInt(text);
            if (length >= 0 && length <= BODY_BYTES_MAX) {
                return length;
            }
        } catch (NumberFormatException _) {
            // Reported below, together with lengths out of bounds.
        }
        throw new Mismatch("a Content-Length of 0 to " + BODY_BYTES_MAX, quote(text));
    }

    private static String quote(String text) {
        return "'" + text + "'";
    }
}
