package dht.peer.async;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.peer.PeerAnswer;
import dht.peer.PeerCall;
import dht.peer.PeerHealth;
import dht.peer.RemoteNode;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Sends requests to another node with the JDK's client; no thread waits for an answer. The client
 * opens a connection for each message in flight, and sets no limit. So this class limits the number
 * of requests in flight, and refuses further ones.
 *
 * <p>Thread-safe; doesn't block the caller.
 */
public final class AsyncPeer implements RemoteNode {
    private static final long CHECK_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final AsyncClient client;
    private final CallSender sender;
    private final PeerHealth health;
    private final int inFlightMax;
    private final Duration drainTimeout;
    private final AtomicInteger inFlight = new AtomicInteger();

    /**
     * The number of receivers that have their answer, but have not returned. For example, a
     * receiver may still be storing a hint.
     */
    private final AtomicInteger receiving = new AtomicInteger();

    /**
     * @param client the client of the node
     * @param sender sends calls through the client; the client itself if each call is sent in its
     *     own message
     * @param inFlightMax the largest number of requests in flight
     * @param drainTimeout how long closing waits for requests in flight
     */
    public AsyncPeer(
            AsyncClient client, CallSender sender, int inFlightMax, Duration drainTimeout) {
        this.client = client;
        this.sender = sender;
        this.health = client.health();
        this.inFlightMax = inFlightMax;
        this.drainTimeout = drainTimeout;
    }

    /**
     * The receiver runs on the caller's thread before this method returns, on a thread that {@link
     * PeerExecutorKind} determines, on a thread of the {@link PeerTransport} that reports failures
     * or checks deadlines, or on the thread of another caller that sends several calls together.
     */
    @Override
    public void ask(EntityRequest request, long timestampMicros, Consumer<PeerAnswer> receiver) {
        if (health.isRejecting()) {
            receiver.accept(health.rejectCircuitOpen());
        } else if (inFlight.incrementAndGet() > inFlightMax) {
            inFlight.decrementAndGet();
            receiver.accept(health.rejectQueueFull());
        } else if (health.tryEnter()) {
            begin(request, timestampMicros, receiver);
        } else {
            inFlight.decrementAndGet();
            receiver.accept(health.rejectCircuitOpen());
        }
    }

    private void begin(EntityRequest request, long timestampMicros, Consumer<PeerAnswer> receiver) {
        PeerCall call;
        try {
            call = new PeerCall(health, request, timestampMicros, countingDown(receiver));
        } catch (RuntimeException | Error e) { // For example, there is no memory for it.
            PeerAnswer answer = AnswerFailures.ownFailure(e, address());
            inFlight.decrementAndGet();
            health.countOutcome(answer);
            receiver.accept(answer);
            return;
        }
        try {
            sender.send(call);
        } catch (RuntimeException | Error e) {
            call.end(AnswerFailures.ownFailure(e, address()));
        }
    }

    /**
     * Returns a receiver that counts the request as no longer in flight, and then passes the answer
     * on.
     */
    private Consumer<PeerAnswer> countingDown(Consumer<PeerAnswer> receiver) {
        return answer -> {
            // First, so that at each moment at least one of the counters includes the request.
            receiving.incrementAndGet();
            inFlight.decrementAndGet();
            try {
                receiver.accept(answer);
            } finally {
                receiving.decrementAndGet();
            }
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

    /** Requests that wait for the next message. */
    @Override
    public int queuedCount() {
        return sender.waitingCount();
    }

    @Override
    public boolean isBehind() {
        return 2L * inFlight.get() >= inFlightMax && client.isAnswering();
    }

    /** The number of requests whose receivers have no answer yet. */
    public int inFlightCount() {
        return inFlight.get();
    }

    /** Messages sent to the node; each contained one or several requests. */
    long messageCount() {
        return client.messageCount();
    }

    @Override
    public void close() {
        long deadlineNanos = System.nanoTime() + drainTimeout.toNanos();
        while ((inFlight.get() > 0 || receiving.get() > 0)
                && !Thread.currentThread().isInterrupted() // parkNanos would not wait any more.
                && System.nanoTime() - deadlineNanos < 0) {
            LockSupport.parkNanos(CHECK_PAUSE_NANOS);
        }
    }
}
