package dht.peer;

import dht.storage.ReadOutcome.Hold;
import java.lang.foreign.MemorySegment;

/** What became of a request to another node. */
public sealed interface PeerAnswer {
    /**
     * The node has answered, whatever it says.
     *
     * @param body if it is shorter than {@value PeerExchange#BUFFER_BYTES} bytes, valid until the
     *     thread's next request
     * @param hold to be released when the body is no longer needed
     */
    record Answered(int status, MemorySegment body, Hold hold) implements PeerAnswer {}

    /** The node has answered, and there is no memory for what it said. */
    record TooLarge() implements PeerAnswer {}

    /** There was no way to the node, or what came back was no answer. */
    record Unreachable(String cause) implements PeerAnswer {}

    /** The node has said nothing, or no more, in time. */
    record Silent() implements PeerAnswer {}
}
