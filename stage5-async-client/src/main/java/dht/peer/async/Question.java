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
    private final long timestampMicros;
    private final Consumer<PeerAnswer> receiver;
    private final AtomicBoolean ended = new AtomicBoolean();

    /**
     * @param timestampMicros the stamp of the version to be written, or 0: then the node stamps it
     * @param receiver must not throw
     */
    Question(EntityRequest request, long timestampMicros, Consumer<PeerAnswer> receiver) {
        this.request = request;
        this.timestampMicros = timestampMicros;
        this.receiver = receiver;
    }

    EntityRequest request() {
        return request;
    }

    Consumer<PeerAnswer> receiver() {
        return receiver;
    }

    /** Whether the caller is the one that ends it. */
    boolean tryEnd() {
        return ended.compareAndSet(false, true);
    }

    /** 0 if there is none. */
    long timestampMicros() {
        return timestampMicros;
    }

    long valueBytes() {
        return request.valueBytes();
    }

    /** Whether it is small enough to share a message with others. */
    boolean isShort() {
        return valueBytes() <= InlineValues.BYTES_MAX;
    }
}
