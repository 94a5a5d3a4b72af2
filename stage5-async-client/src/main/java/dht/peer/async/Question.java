package dht.peer.async;

import dht.http.EntityRequest;
import dht.peer.PeerAnswer;
import java.util.function.Consumer;

/**
 * What another node is asked, and who wants to know.
 *
 * @param parameters that go behind the key, such as {@code &timestamp=1}, or empty
 * @param receiver must not throw
 */
record Question(EntityRequest request, String parameters, Consumer<PeerAnswer> receiver) {
    /** The stamp that the parameters say, 0 if there is none. */
    long timestampMicros() {
        int length = parameters.length();
        return length == 0
                ? 0
                : Long.parseLong(parameters, parameters.indexOf('=') + 1, length, 10);
    }

    long valueBytes() {
        return PeerRequests.valueBytes(request);
    }

    /** Whether it is small enough to share a message with others. */
    boolean isShort() {
        return valueBytes() <= InlineValues.BYTES_MAX;
    }
}
