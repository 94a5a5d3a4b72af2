package dht.peer.async;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.TooLarge;
import dht.peer.PeerCall;
import dht.peer.PeerHealth;
import dht.peer.RemoteNode;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Another node, asked by the JDK's client, which keeps no thread waiting. Each request in flight
 * has a connection of its own, and the client has no bound for them: this has one, and refuses what
 * is beyond.
 *
 * <p>Thread-safe; doesn't block the caller.
 */
public final class AsyncPeer implements RemoteNode {
    private static final long LOOK_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final AsyncClient client;
    private final CallSender sender;
    private final PeerHealth health;
    private final int inFlightMax;
    private final Duration drainTimeout;
    private final AtomicInteger inFlight = new AtomicInteger();

    /**
     * @param client of the node
     * @param sender takes calls to the client: it is the client itself, where each is sent alone
     * @param inFlightMax requests at a time
     * @param drainTimeout how long requests in flight are waited for at the end
     */
    public AsyncPeer(
            AsyncClient client, CallSender sender, int inFlightMax, Duration drainTimeout) {
        this.client = client;
        this.sender = sender;
        this.health = client.health();
        this.inFlightMax = inFlightMax;
        this.drainTimeout = drainTimeout;
    }

    /** On the thread that the {@link PeerExecutorKind} says, or at once on the caller's. */
    @Override
    public void ask(EntityRequest request, long timestampMicros, Consumer<PeerAnswer> receiver) {
        if (health.isRejecting()) {
            receiver.accept(health.rejected());
        } else if (inFlight.incrementAndGet() > inFlightMax) {
            inFlight.decrementAndGet();
            receiver.accept(health.queueFull());
        } else if (health.tryEnter()) {
            begin(request, timestampMicros, receiver);
        } else {
            inFlight.decrementAndGet();
            receiver.accept(health.rejected());
        }
    }

    private void begin(EntityRequest request, long timestampMicros, Consumer<PeerAnswer> receiver) {
        PeerCall call;
        try {
            call = new PeerCall(health, request, timestampMicros, placeTaken(receiver));
        } catch (OutOfMemoryError e) {
            inFlight.decrementAndGet();
            receiver.accept(health.counted(TooLarge.INSTANCE));
            return;
        }
        try {
            sender.send(call);
        } catch (RuntimeException | Error e) { // No memory: which says nothing about the node.
            call.end(TooLarge.INSTANCE);
        }
    }

    /** When the receiver gets its answer, the request's place is free for another one. */
    private Consumer<PeerAnswer> placeTaken(Consumer<PeerAnswer> receiver) {
        return answer -> {
            inFlight.decrementAndGet();
            receiver.accept(answer);
        };
    }

    @Override
    public NodeAddress address() {
        return client.address();
    }

    @Override
    public PeerHealth health() {
        return health;
    }

    /** Those that wait for others. */
    @Override
    public int queuedCount() {
        return sender.waitingCount();
    }

    @Override
    public boolean isBehind() {
        return 2L * inFlight.get() >= inFlightMax && client.isAnswering();
    }

    /** Requests that have no answer yet. */
    public int inFlightCount() {
        return inFlight.get();
    }

    /** Messages that took requests to it, several or one each. */
    long messageCount() {
        return client.messageCount();
    }

    @Override
    public void close() {
        long deadlineNanos = System.nanoTime() + drainTimeout.toNanos();
        while (inFlight.get() > 0 && System.nanoTime() < deadlineNanos) {
            LockSupport.parkNanos(LOOK_PAUSE_NANOS);
        }
    }
}
