package dht.peer.async;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.peer.Credentials;
import dht.peer.PeerAnswer;
import dht.peer.PeerHealth;
import dht.peer.PeerOptions;
import dht.peer.RemoteNode;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Another node, asked by the JDK's client, which keeps no thread waiting. Each request in flight
 * has a connection of its own, and the client has no bound for them: this has one, and refuses what
 * is beyond.
 *
 * <p>Thread-safe; doesn't block the caller.
 */
public final class AsyncPeer implements RemoteNode {
    private static final Logger LOG = LoggerFactory.getLogger(AsyncPeer.class);
    private static final long LOOK_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final NodeAddress address;
    private final PeerOptions options;
    private final PeerHealth health;
    private final PeerRequests requests;
    private final PeerTransport transport;
    private final HttpClient client;
    private final DueQueue timeouts;
    private final MemoryBudget answerMemory;
    private final int inFlightMax;
    private final AtomicInteger inFlight = new AtomicInteger();

    /**
     * @param options of which queue and connections don't count here
     * @param inFlightMax requests at a time, each on a connection of its own
     * @param transport must outlive this
     * @param answerMemory of large values
     */
    public AsyncPeer(
            NodeAddress address,
            Credentials credentials,
            PeerOptions options,
            int inFlightMax,
            PeerTransport transport,
            MemoryBudget answerMemory) {
        this.address = address;
        this.options = options;
        this.health = new PeerHealth(address, options);
        this.requests = new PeerRequests(address, credentials, options.requestTimeout());
        this.transport = transport;
        this.client = transport.client();
        this.timeouts = transport.timeouts();
        this.answerMemory = answerMemory;
        this.inFlightMax = inFlightMax;
    }

    /** On the thread that the {@link PeerExecutorKind} says, or at once on the caller's. */
    @Override
    public void ask(EntityRequest request, String parameters, Consumer<PeerAnswer> receiver) {
        if (health.isShut()) {
            health.turnAway(receiver);
        } else if (inFlight.incrementAndGet() > inFlightMax) {
            inFlight.decrementAndGet();
            health.refuse(receiver);
        } else if (health.tryEnter()) {
            HttpRequest sent = requests.request(request, parameters, false);
            long timeoutNanos = requests.timeoutFor(PeerRequests.valueBytes(request)).toNanos();
            new AsyncExchange(this, receiver).begin(sent, timeoutNanos);
        } else {
            inFlight.decrementAndGet();
            health.turnAway(receiver);
        }
    }

    /** A request is over: its place is free for another one. */
    void end(PeerAnswer answer, Consumer<PeerAnswer> receiver) {
        inFlight.decrementAndGet();
        try {
            receiver.accept(health.noted(answer));
        } catch (RuntimeException | Error e) { // Against its promise.
            LOG.error("what node {} answered could not be used", address, e);
        }
    }

    HttpClient client() {
        return client;
    }

    /** Where failures are told. */
    Executor failures() {
        return transport.watch();
    }

    PeerRequests requests() {
        return requests;
    }

    DueQueue timeouts() {
        return timeouts;
    }

    MemoryBudget answerMemory() {
        return answerMemory;
    }

    @Override
    public NodeAddress address() {
        return address;
    }

    @Override
    public PeerHealth health() {
        return health;
    }

    /** None does: what finds no place is refused. */
    @Override
    public int queuedCount() {
        return 0;
    }

    /** Requests that have no answer yet. */
    public int inFlightCount() {
        return inFlight.get();
    }

    @Override
    public void close() {
        long deadlineNanos = System.nanoTime() + options.drainTimeout().toNanos();
        while (inFlight.get() > 0 && System.nanoTime() < deadlineNanos) {
            LockSupport.parkNanos(LOOK_PAUSE_NANOS);
        }
    }
}
