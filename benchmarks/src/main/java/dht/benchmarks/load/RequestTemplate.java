package dht.benchmarks.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;

/** The head of a request. The numbers of its keys are filled in each time. Not thread-safe. */
final class RequestTemplate {
    private static final String ANY_KEY = KeySpace.PREFIX + "0".repeat(KeySpace.DIGITS);

    private final byte[] head;
    private final int firstDigits;
    private final int secondDigits;

    private RequestTemplate(String head) {
        this.head = head.getBytes(ISO_8859_1);
        this.firstDigits = head.indexOf(ANY_KEY) + KeySpace.PREFIX.length();
        this.secondDigits = head.lastIndexOf(ANY_KEY) + KeySpace.PREFIX.length();
    }

    /** Makes the templates of one target. */
    record Maker(String host, String furtherHeaders) {
        RequestTemplate put(WorkloadSettings settings) {
            return of(
                    "PUT /v0/entity?id=" + ANY_KEY + settings.replicasParameter(),
                    "Content-Length: " + settings.valueBytes() + "\r\n");
        }

        RequestTemplate get(WorkloadSettings settings) {
            return of("GET /v0/entity?id=" + ANY_KEY + settings.replicasParameter(), "");
        }

        RequestTemplate getMissing(WorkloadSettings settings) {
            String missing = ANY_KEY + KeySpace.MISSING_SUFFIX;
            return of("GET /v0/entity?id=" + missing + settings.replicasParameter(), "");
        }

        RequestTemplate range() {
            return of("GET /v0/entities?start=" + ANY_KEY + "&end=" + ANY_KEY, "");
        }

        RequestTemplate status() {
            return of("GET /v0/status", "");
        }

        private RequestTemplate of(String methodAndTarget, String headers) {
            return new RequestTemplate(
                    methodAndTarget
                            + " HTTP/1.1\r\nHost: "
                            + host
                            + "\r\n"
                            + headers
                            + furtherHeaders
                            + "\r\n");
        }
    }

    int bytes() {
        return head.length;
    }

    /** Makes the buffer hold the request with no key, and nothing else. */
    void write(ByteBuffer target) {
        target.clear().put(head).flip();
    }

    /** Makes the buffer hold the request for a key, and nothing else. */
    void write(long number, ByteBuffer target) {
        KeySpace.writeDigits(number, head, firstDigits);
        write(target);
    }

    /** Makes the buffer hold the request for a range, and nothing else. */
    void write(long start, long end, ByteBuffer target) {
        KeySpace.writeDigits(end, head, secondDigits);
        write(start, target);
    }
}
