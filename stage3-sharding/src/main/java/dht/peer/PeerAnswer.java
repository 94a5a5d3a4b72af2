package dht.peer;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.http.OwnedBytes;
import dht.storage.ReadOutcome.Found;
import dht.storage.ReadOutcome.Hold;

/** The outcome of a request to another node. Immutable. */
public sealed interface PeerAnswer {
    /** Describes what the node did, such as {@code is unreachable: Connection refused}. */
    default String description() {
        return switch (this) {
            case Answered answered -> "answered " + answered.status();
            case TooLarge _ -> "answered, but this node has no memory for the answer: try again";
            case NoMemory _ ->
                    "was perhaps not asked: this node has no memory for the request: try again";
            case OwnFailure _ -> "was perhaps not asked: this node has failed: see its log";
            case Unreachable unreachable -> "is unreachable: " + unreachable.cause();
            case TimedOut _ -> "does not answer";
            case QueueFull _ ->
                    "was not asked: too many requests wait for it, or this node is stopping";
            case CircuitOpen rejected ->
                    "was not asked, because it " + rejected.last().description();
        };
    }

    /** Releases the memory of the answer. A receiver that does not use the answer calls this. */
    default void release() {
        if (this instanceof Answered answered) {
            answered.hold().release();
        }
    }

    /**
     * The node has answered, with any status.
     *
     * @param timestampMicros the stamp of the version that the node has; 0 if the answer has no
     *     stamp
     * @param hold must be released when the body is no longer needed; until then the body counts in
     *     the memory limit of answers
     */
    record Answered(int status, long timestampMicros, OwnedBytes body, Hold hold)
            implements PeerAnswer {
        /** The body as the outcome of a read. Closing that outcome releases the hold. */
        public Found found() {
            return new Found(body.segment(), timestampMicros, hold);
        }

        /** The first line of the body: the reason, if the node answered with a failure. */
        public String firstLine() {
            return new String(body.toArray(), UTF_8).lines().findFirst().orElse("");
        }
    }

    /**
     * The node has begun to answer, but this node has no memory for the answer: either the limit
     * for large answers is reached, or memory is exhausted. The node is healthy.
     */
    record TooLarge() implements PeerAnswer {
        /** Created in advance: when it is needed, there may be no memory for it. */
        public static final PeerAnswer INSTANCE = new TooLarge();
    }

    /**
     * This node had no memory to send the request, or to read its answer. The other node may have
     * executed the request or not, and may be healthy or not.
     */
    record NoMemory() implements PeerAnswer {
        /** Created in advance: when it is needed, there may be no memory for it. */
        public static final PeerAnswer INSTANCE = new NoMemory();
    }

    /**
     * This node has failed to send the request, or to read its answer, because of a bug, which it
     * has logged. The other node may have executed the request or not, and may be healthy or not.
     */
    record OwnFailure() implements PeerAnswer {
        public static final PeerAnswer INSTANCE = new OwnFailure();
    }

    /**
     * This node could not connect to the other node, the connection broke, or the other node sent
     * no valid answer.
     */
    record Unreachable(String cause) implements PeerAnswer {}

    /** The node has not answered, or not completely, within the timeout. */
    record TimedOut() implements PeerAnswer {
        public static final PeerAnswer INSTANCE = new TimedOut();
    }

    /** The request was not sent: too many requests wait for the node, or this node is stopping. */
    record QueueFull() implements PeerAnswer {
        public static final PeerAnswer INSTANCE = new QueueFull();
    }

    /**
     * The request was not sent, because earlier requests to the node failed. In most cases, the
     * circuit breaker has rejected it.
     *
     * @param last the last failure that the circuit breaker counted
     */
    record CircuitOpen(PeerAnswer last) implements PeerAnswer {}
}
