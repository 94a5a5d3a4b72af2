package dht.peer.async;

import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.NoMemory;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * Refuses the body of another node's answer, and so closes the connection. A handler returns it
 * instead of throwing: if a handler throws, the client leaves the connection open for ever.
 *
 * <p>Immutable and thread-safe.
 */
public final class RefusedBody implements HttpResponse.BodySubscriber<PeerAnswer> {
    private static final RefusedBody NO_MEMORY = new RefusedBody(NoMemory.INSTANCE);

    private final CompletionStage<PeerAnswer> outcome;

    private RefusedBody(PeerAnswer outcome) {
        this.outcome = CompletableFuture.completedStage(outcome);
    }

    /**
     * Throws nothing, even if there is no memory.
     *
     * @param outcome says why
     */
    public static RefusedBody of(PeerAnswer outcome) {
        try {
            return new RefusedBody(outcome);
        } catch (OutOfMemoryError e) {
            return NO_MEMORY;
        }
    }

    @Override
    public CompletionStage<PeerAnswer> getBody() {
        return outcome;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        subscription.cancel();
    }

    @Override
    public void onNext(List<ByteBuffer> pieces) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onComplete() {}
}
