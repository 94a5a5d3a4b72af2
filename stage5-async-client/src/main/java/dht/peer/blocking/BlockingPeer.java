package dht.peer.blocking;

import dht.cluster.NodeAddress;
import dht.execution.CountedExecutor;
import dht.execution.ExecutionOptions;
import dht.execution.ExecutorKind;
import dht.http.EntityRequest;
import dht.http.ErrorLog;
import dht.http.MemoryBudget;
import dht.http.RequestExecutor;
import dht.http.Response;
import dht.peer.Credentials;
import dht.peer.PeerAnswer;
import dht.peer.PeerCall;
import dht.peer.PeerHealth;
import dht.peer.PeerOptions;
import dht.peer.RemoteNode;
import dht.peer.async.AnswerFailures;
import dht.peer.async.PeerTransport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests to another node with the JDK's client. For each request in flight, a thread waits
 * for the answer. Each node has its own queue and its own threads, so a node that is slow or does
 * not answer delays only requests for its own keys. While its circuit breaker is open, requests
 * fail at once.
 *
 * <p>Thread-safe; doesn't block the caller.
 */
public final class BlockingPeer implements RemoteNode {
    private static final Logger LOG = LoggerFactory.getLogger(BlockingPeer.class);

    private final NodeAddress address;
    private final JdkBlockingClient client;
    private final CountedExecutor executor;
    private final PeerHealth health;
    private final int queueLengthMax;

    /**
     * @param client sends the requests to the node
     * @param options limits and timeouts; the number of connections is also the number of threads
     */
    BlockingPeer(NodeAddress address, JdkBlockingClient client, PeerOptions options) {
        this.address = address;
        this.client = client;
        this.health = new PeerHealth(address, options);
        this.queueLengthMax = options.queueLengthMax();
        this.executor =
                ExecutorKind.FIFO.open(
                        "peer-" + address.host() + ":" + address.port(),
                        executionOptions(options),
                        System::nanoTime);
    }

    /**
     * Creates a peer.
     *
     * @param transport must be closed after this peer
     * @param answerMemory the memory limit for large values
     */
    public static BlockingPeer overJdkClient(
            NodeAddress node,
            Credentials credentials,
            PeerOptions options,
            PeerTransport transport,
            MemoryBudget answerMemory) {
        JdkBlockingClient client =
                new JdkBlockingClient(node, credentials, options, transport, answerMemory);
        return new BlockingPeer(node, client, options);
    }

    private static ExecutionOptions executionOptions(PeerOptions options) {
        return new ExecutionOptions(
                ExecutorKind.FIFO,
                options.connectionCount(),
                options.queueLengthMax(),
                options.requestTimeout(),
                options.drainTimeout());
    }

    /**
     * The receiver runs on a thread of this peer, on the caller's thread before this method
     * returns, or on the thread that closes this peer.
     */
    @Override
    public void ask(EntityRequest request, long timestampMicros, Consumer<PeerAnswer> receiver) {
        if (health.isRejecting()) {
            receiver.accept(health.rejectCircuitOpen());
        } else {
            executor.execute(new Task(new PeerCall(health, request, timestampMicros, receiver)));
        }
    }

    private final class Task implements RequestExecutor.Task {
        private final PeerCall call;

        Task(PeerCall call) {
            this.call = call;
        }

        @Override
        public void run() {
            if (call.tryBegin()) {
                long sentNanos = System.nanoTime();
                call.end(ask(), sentNanos);
            } else {
                call.failFast();
            }
        }

        private PeerAnswer ask() {
            try {
                return client.ask(call.request(), call.timestampMicros());
            } catch (RuntimeException | Error e) {
                ErrorLog.log(LOG, "cannot ask node {}", address, e);
                return AnswerFailures.answer(e);
            }
        }

        @Override
        public void refuse(Response answer) {
            call.refuse();
        }
    }

    @Override
    public NodeAddress address() {
        return address;
    }

    @Override
    public PeerHealth health() {
        return health;
    }

    @Override
    public int queuedCount() {
        return executor.queuedCount();
    }

    @Override
    public boolean isBehind() {
        return 2L * executor.queuedCount() >= queueLengthMax && !health.isFailing();
    }

    @Override
    public void close() {
        executor.close();
    }
}
