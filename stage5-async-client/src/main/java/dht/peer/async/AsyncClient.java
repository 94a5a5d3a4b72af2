package dht.peer.async;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.EventCounter;
import dht.http.MemoryBudget;
import dht.peer.Credentials;
import dht.peer.PeerAnswer;
import dht.peer.PeerCall;
import dht.peer.PeerHealth;
import dht.peer.PeerOptions;
import java.net.http.HttpRequest;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Sends calls to one node with the JDK's client, each call in its own message.
 *
 * <p>Thread-safe; doesn't block the caller.
 */
public final class AsyncClient implements CallSender {
    /**
     * A node whose last answer is less than this old counts as answering. This is longer than most
     * pauses for garbage collection.
     */
    static final long RECENT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final Runnable NOTHING = () -> {};

    private final NodeAddress address;
    private final PeerHealth health;
    private final PeerRequestFactory requestFactory;
    private final AsyncExchange.Context exchangeContext;
    private final EventCounter messages = new EventCounter();
    private volatile long answeredNanos = System.nanoTime() - RECENT_NANOS;

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
        this.requestFactory = new PeerRequestFactory(address, credentials, options);
        transport.client(); // Creates it now, so that the first request doesn't wait for it.
        this.exchangeContext =
                new AsyncExchange.Context(
                        transport,
                        requestFactory,
                        transport.timeoutQueue(options.requestTimeout().toNanos()),
                        answerMemory,
                        this::noteAnswer);
    }

    @Override
    public void send(PeerCall call) {
        sendAlone(call, NOTHING);
    }

    /**
     * Sends a call in its own message.
     *
     * @param onEnd runs when the answer has arrived or the request has failed. If this method
     *     throws, {@code onEnd} does not run, and the call is not ended
     */
    public void sendAlone(PeerCall call, Runnable onEnd) {
        EntityRequest request = call.request();
        long sentNanos = System.nanoTime();
        exchange(
                factory -> factory.request(request, call.timestampMicros(), false),
                request.valueBytes(),
                sentNanos,
                answer -> {
                    try { // First: the next message does not wait for the receivers.
                        onEnd.run();
                    } finally {
                        call.end(answer, sentNanos);
                    }
                });
    }

    /**
     * Sends a message with any content.
     *
     * @param message creates the message
     * @param valueBytes the bytes of values in the message; the more there are, the more time the
     *     message gets
     * @param sentNanos the current {@link System#nanoTime}
     * @param receiver gets the answer exactly once, unless this method throws
     */
    public void exchange(
            Function<PeerRequestFactory, HttpRequest> message,
            long valueBytes,
            long sentNanos,
            Consumer<PeerAnswer> receiver) {
        long timeoutNanos = requestFactory.timeoutFor(valueBytes).toNanos();
        messages.increment();
        new AsyncExchange(exchangeContext, receiver)
                .begin(() -> message.apply(requestFactory), sentNanos, timeoutNanos);
    }

    public NodeAddress address() {
        return address;
    }

    /** The circuit breaker and the counts of the node. */
    public PeerHealth health() {
        return health;
    }

    private void noteAnswer() {
        answeredNanos = System.nanoTime();
    }

    /** Whether the node's last answer is less than {@link #RECENT_NANOS} old. */
    boolean isAnswering() {
        return System.nanoTime() - answeredNanos < RECENT_NANOS;
    }

    /** Messages sent to the node; each contained one or several calls. */
    long messageCount() {
        return messages.sum();
    }
}
