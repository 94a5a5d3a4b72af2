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
            case NoMemory _ -> "was perhaps not asked: this node has no memory for it: try again";
            case Unreachable unreachable -> "is unreachable: " + unreachable.cause();
            case TimedOut _ -> "does not answer";
            case QueueFull _ -> "has too many requests waiting for it";
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

    /** The node has begun to answer, but this node has no memory for the answer. */
    record TooLarge() implements PeerAnswer {
        /** Created in advance: when it is needed, there may be no memory for it. */
        public static final PeerAnswer INSTANCE = new TooLarge();
    }

    /**
     * This node had no memory to ask the node, or to read its answer. Says nothing about the health
     * of the node.
     */
    record NoMemory() implements PeerAnswer {
        /** Created in advance: when it is needed, there may be no memory for it. */
        public static final PeerAnswer INSTANCE = new NoMemory();
    }

    /** No connection to the node was possible, or it broke, or the node sent no valid answer. */
    record Unreachable(String cause) implements PeerAnswer {}

    /** The node has not answered, or not completely, within the timeout. */
    record TimedOut() implements PeerAnswer {
        public static final PeerAnswer INSTANCE = new TimedOut();
    }

    /** Too many requests wait for the node. */
    record QueueFull() implements PeerAnswer {
        public static final PeerAnswer INSTANCE = new QueueFull();
    }

    /**
     * The request was not sent, because the circuit breaker is open: the node did not answer
     * earlier requests.
     *
     * @param last the outcome of the last failed request
     */
    record CircuitOpen(PeerAnswer last) implements PeerAnswer {}
}
