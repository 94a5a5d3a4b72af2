package dht.testkit.history;

import java.util.Objects;

/**
 * One request of a client, with its answer and its times. All clients of a history read times from
 * one clock, which never goes back. Immutable.
 *
 * @param kind the kind of request
 * @param key the key
 * @param value of a put: the value written, unique for the key; of a get: the value found; null for
 *     a deletion, and for a get that found nothing
 * @param node the name of the node that got the request
 * @param startNanos just before the request was sent
 * @param endNanos just after the answer came, or when the client gave up
 * @param outcome what the client knows afterwards
 * @param reason why it is not {@link Outcome#OK}, in one line; empty if unknown
 */
public record Operation(
        Kind kind,
        String key,
        String value,
        String node,
        long startNanos,
        long endNanos,
        Outcome outcome,
        String reason) {

    /** The kind of a request. */
    public enum Kind {
        PUT,
        DELETE,
        GET
    }

    /** What a client knows after its request. */
    public enum Outcome {
        /** It was done: the write is acknowledged, the read is answered. */
        OK,
        /** It was not done, and will not be done later. */
        FAILED,
        /** A write may have been done, or may be done later. A read proves nothing. */
        UNKNOWN
    }

    public Operation {
        Objects.requireNonNull(key, "key");
        if ((kind == Kind.PUT) != (value != null) && kind != Kind.GET) {
            throw new IllegalArgumentException("kind=" + kind + " value=" + value);
        }
        if (endNanos < startNanos) {
            throw new IllegalArgumentException(
                    "startNanos=%d endNanos=%d: ends before it starts"
                            .formatted(startNanos, endNanos));
        }
    }

    public boolean isWrite() {
        return kind != Kind.GET;
    }

    /** For example {@code node-2 PUT "v7" 1.204113 to 1.205001 s acknowledged}. */
    public String describe(long originNanos) {
        return "%-8s %-26s %13.6f to %.6f s  %s"
                .formatted(
                        node,
                        kind + asked(),
                        seconds(startNanos - originNanos),
                        seconds(endNanos - originNanos),
                        answered());
    }

    private String asked() {
        return kind == Kind.PUT ? " \"" + value + '"' : "";
    }

    private String answered() {
        return switch (outcome) {
            case OK -> isWrite() ? "acknowledged" : found();
            case FAILED -> "refused" + because();
            case UNKNOWN -> "outcome unknown" + because();
        };
    }

    private String because() {
        return reason.isEmpty() ? "" : ": " + reason;
    }

    private String found() {
        return value == null ? "found nothing" : "found \"" + value + '"';
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }
}
