package dht.peer.async;

import dht.http.EntityRequest;
import dht.peer.PeerAnswer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A request to another node, and the receiver of its answer. It ends once, whatever goes wrong on
 * its way. Thread-safe.
 */
final class Question {
    private final EntityRequest request;
    private final String parameters;
    private final Consumer<PeerAnswer> receiver;
    private final AtomicBoolean ended = new AtomicBoolean();

    /**
     * @param parameters that go behind the key, such as {@code &timestamp=1}, or empty
     * @param receiver must not throw
     */
    Question(EntityRequest request, String parameters, Consumer<PeerAnswer> receiver) {
        this.request = request;
        this.parameters = parameters;
        this.receiver = receiver;
    }

    EntityRequest request() {
        return request;
    }

    String parameters() {
        return parameters;
    }

    Consumer<PeerAnswer> receiver() {
        return receiver;
    }

    /** Whether the caller is the one that ends it. */
    boolean tryEnd() {
        return ended.compareAndSet(false, true);
    }

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
