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
 * Sends calls to one node with the JDK's client, each call in its own message.
 *
 * <p>Thread-safe; doesn't block the caller.
 */
public final class AsyncClient implements CallSender {
    /**
     * A node that has sent nothing for this time may be dead. It is longer than most garbage
     * collections.
     */
    static final long ANSWERING_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final Runnable NOTHING = () -> {};

    private final NodeAddress address;
    private final PeerHealth health;
    private final PeerRequests requests;
    private final AsyncExchange.Context exchanges;
    private final LongAdder messages = new LongAdder();
    private volatile long answeredNanos = System.nanoTime() - ANSWERING_NANOS;

    /**
     * @param options timeouts and failure limits; queue length and number of connections are
     *     ignored
     * @param transport must be closed after this client's last request
     * @param answerMemory the memory limit for large values
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
        transport.client(); // Created now, so that the first request doesn't wait for it.
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
     * Sends a call in its own message.
     *
     * @param ended run when the answer has arrived, or the request has failed
     */
    public void sendAlone(PeerCall call, Runnable ended) {
        EntityRequest request = call.request();
        long sentNanos = System.nanoTime();
        exchange(
                written -> written.request(request, call.timestampMicros(), false),
                request.valueBytes(),
                sentNanos,
                answer -> {
                    // First, so that the next message is sent before the receivers run.
                    ended.run();
                    call.end(answer, sentNanos);
                });
    }

    /**
     * Sends a message with any content.
     *
     * @param message creates the message
     * @param valueBytes bytes for which the message gets more time
     * @param sentNanos the current {@link System#nanoTime}
     * @param receiver gets the answer exactly once, unless this method throws
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

    /** The circuit breaker and the counts of the node. */
    public PeerHealth health() {
        return health;
    }

    private void answered() {
        answeredNanos = System.nanoTime();
    }

    /** Whether the node has answered a request very recently. */
    boolean isAnswering() {
        return System.nanoTime() - answeredNanos < ANSWERING_NANOS;
    }

    /** Messages sent to the node; each contained one or several calls. */
    long messageCount() {
        return messages.sum();
    }
}
