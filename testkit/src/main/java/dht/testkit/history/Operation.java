package dht.testkit.history;

import java.util.Objects;

/**
 * One request of a client and what it was answered. Times are readings of one clock that never goes
 * back, shared by all clients of a history. Immutable.
 *
 * @param kind what was asked
 * @param key of what
 * @param value of a put: what was written, no two alike for a key; of a get: what was found; null
 *     for a deletion, and where a get found nothing
 * @param node who was asked
 * @param startNanos just before the request was sent
 * @param endNanos just after the answer came, or was no longer waited for
 * @param outcome what the client knows afterwards
 * @param reason why it is not {@link Outcome#OK}, in a line; empty if nobody said
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

    /** What is asked of a key. */
    public enum Kind {
        PUT,
        DELETE,
        GET
    }

    /** What a client knows after its request. */
    public enum Outcome {
        /** It was done: the write is acknowledged, the read is answered. */
        OK,
        /** It was not done, and never will be. */
        FAILED,
        /** A write may have been done, or be done at any time later; a read tells nothing. */
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
