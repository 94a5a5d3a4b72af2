package dht.peer.async;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.peer.Credentials;
import dht.peer.PeerAnswer;
import dht.peer.PeerCall;
import dht.peer.PeerHealth;
import dht.peer.PeerOptions;
import java.net.http.HttpRequest;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The JDK's client, for one node: sends each call in a message of its own.
 *
 * <p>Thread-safe; doesn't block the caller.
 */
public final class AsyncClient implements CallSender {
    /** A node that has said nothing for so long may be dead. Longer than most collections take. */
    static final long ANSWERING_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final Runnable NOTHING = () -> {};

    private final NodeAddress address;
    private final PeerHealth health;
    private final PeerRequests requests;
    private final AsyncExchange.Context exchanges;
    private final LongAdder messages = new LongAdder();
    private volatile long answeredNanos = System.nanoTime() - ANSWERING_NANOS;

    /**
     * @param options of which queue and connections don't count here
     * @param transport must outlive this
     * @param answerMemory of large values
     */
    public AsyncClient(
            NodeAddress address,
            Credentials credentials,
            PeerOptions options,
            PeerTransport transport,
            MemoryBudget answerMemory) {
        this.address = address;
        this.health = new PeerHealth(address, options);
        this.requests = new PeerRequests(address, credentials, options);
        transport.client(); // Made now, so that the first request needn't wait for it.
        this.exchanges =
                new AsyncExchange.Context(
                        transport,
                        requests,
                        transport.timeoutQueue(options.requestTimeout().toNanos()),
                        answerMemory,
                        this::answered);
    }

    @Override
    public void send(PeerCall call) {
        sendAlone(call, NOTHING);
    }

    /**
     * Sends a call in a message of its own.
     *
     * @param ended run when there is an answer, or will be none
     */
    public void sendAlone(PeerCall call, Runnable ended) {
        EntityRequest request = call.request();
        long sentNanos = System.nanoTime();
        exchange(
                written -> written.request(request, call.timestampMicros(), false),
                request.valueBytes(),
                sentNanos,
                answer -> {
                    ended.run(); // First: the node needn't wait while this one tells.
                    call.end(answer, sentNanos);
                });
    }

    /**
     * Sends a message, whatever is in it.
     *
     * @param message writes it
     * @param valueBytes for which it may take longer
     * @param sentNanos what {@link System#nanoTime} says now
     * @param receiver gets its answer once, unless this throws
     */
    public void exchange(
            Function<PeerRequests, HttpRequest> message,
            long valueBytes,
            long sentNanos,
            Consumer<PeerAnswer> receiver) {
        long timeoutNanos = requests.timeoutFor(valueBytes).toNanos();
        messages.increment();
        new AsyncExchange(exchanges, receiver)
                .begin(() -> message.apply(requests), sentNanos, timeoutNanos);
    }

    public NodeAddress address() {
        return address;
    }

    /** How requests to the node have fared. */
    public PeerHealth health() {
        return health;
    }

    private void answered() {
        answeredNanos = System.nanoTime();
    }

    /** Whether the node has said something just now. */
    boolean isAnswering() {
        return System.nanoTime() - answeredNanos < ANSWERING_NANOS;
    }

    /** Messages that took calls to the node, several or one each. */
    long messageCount() {
        return messages.sum();
    }
}
