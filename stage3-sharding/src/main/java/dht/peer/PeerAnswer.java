package dht.peer;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.http.OwnedBytes;
import dht.storage.ReadOutcome.Found;
import dht.storage.ReadOutcome.Hold;

/** What became of a request to another node. */
public sealed interface PeerAnswer {
    /** What there is to say of the node, such as {@code is unreachable: Connection refused}. */
    default String verdict() {
        return switch (this) {
            case Answered answered -> "answered " + answered.status();
            case TooLarge _ -> "answered with one large value too many at a time";
            case Unreachable unreachable -> "is unreachable: " + unreachable.cause();
            case TimedOut _ -> "does not answer";
            case QueueFull _ -> "has too many requests waiting for it";
            case CircuitOpen notAsked -> "was not asked, since it " + notAsked.last().verdict();
        };
    }

    /** Lets go of what it holds; for a receiver that does not use it. */
    default void release() {
        if (this instanceof Answered answered) {
            answered.hold().release();
        }
    }

    /**
     * The node has answered, whatever it says.
     *
     * @param timestampMicros the stamp of the version that it holds, where it says so, else 0
     * @param hold to be released when the body is no longer needed: until then its bytes count in
     *     the memory of answers
     */
    record Answered(int status, long timestampMicros, OwnedBytes body, Hold hold)
            implements PeerAnswer {
        /** The body as a found value, which takes the hold over. */
        public Found found() {
            return new Found(body.segment(), timestampMicros, hold);
        }

        /** What the node says of a failure. */
        public String firstLine() {
            return new String(body.toArray(), UTF_8).lines().findFirst().orElse("");
        }
    }

    /** The node has answered, and there is no memory for what it said. */
    record TooLarge() implements PeerAnswer {
        /** Made now: when it is needed there may be no memory for it. */
        public static final PeerAnswer INSTANCE = new TooLarge();
    }

    /** There was no way to the node, or what came back was no answer. */
    record Unreachable(String cause) implements PeerAnswer {}

    /** The node has said nothing, or no more, in time. */
    record TimedOut() implements PeerAnswer {
        public static final PeerAnswer INSTANCE = new TimedOut();
    }

    /** Too many requests wait for the node. */
    record QueueFull() implements PeerAnswer {
        public static final PeerAnswer INSTANCE = new QueueFull();
    }

    /**
     * The node is known not to answer, and was not asked.
     *
     * @param last what became of the last one that was
     */
    record CircuitOpen(PeerAnswer last) implements PeerAnswer {}
}
