package dht.testkit.http;

import dht.testkit.transcript.Mismatch;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads what follows an answer's head, as strictly as the contract puts it. One thread at a time.
 */
final class BodyReader {
    private static final Pattern CHUNK_SIZE = Pattern.compile("[0-9a-fA-F]{1,7}");
    private static final int BODY_BYTES_MAX = 64 << 20;

    private final Incoming in;

    BodyReader(Incoming in) {
        this.in = in;
    }

    /** The body of an answer that isn't chunked. */
    byte[] whole(ResponseHead head) {
        var length = head.header("Content-Length");
        if (length.isPresent()) {
            return in.exactly(contentLength(length.get()));
        }
        if (head.announcesClose() || head.version().equals("HTTP/1.0")) {
            return in.untilEnd(BODY_BYTES_MAX);
        }
        throw new Mismatch(
                "a Content-Length or a chunked body", "neither, on a connection that stays open");
    }

    /** The next chunk, or empty at the terminating one. */
    Optional<byte[]> nextChunk() {
        var size = in.line();
        if (!CHUNK_SIZE.matcher(size).matches()) {
            throw new Mismatch(
                    "the size of a chunk in hexadecimal, or 0 at the end", "'" + size + "'");
        }
        var data = in.exactly(Integer.parseInt(size, 16));
        var end = in.line();
        if (!end.isEmpty()) {
            throw new Mismatch(
                    "CRLF after a chunk of %,d bytes".formatted(data.length), "'" + end + "'");
        }
        return data.length == 0 ? Optional.empty() : Optional.of(data);
    }

    private static int contentLength(String text) {
        try {
            var length = Integer.parseInt(text);
            if (length >= 0 && length <= BODY_BYTES_MAX) {
                return length;
            }
        } catch (NumberFormatException _) {
            // Told below, together with lengths out of bounds.
        }
        throw new Mismatch(
                "a Content-Length of 0 to %d".formatted(BODY_BYTES_MAX), "'" + text + "'");
    }
}
