package dht.peer.blocking;

import dht.cluster.NodeAddress;
import dht.execution.CountedExecutor;
import dht.execution.ExecutionOptions;
import dht.execution.ExecutorKind;
import dht.http.EntityRequest;
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
 * Another node, asked by the JDK's client while a thread waits: requests wait in a queue of its own
 * for threads of its own, so that a node which is slow or silent holds up nobody but who asks for
 * its keys; one that is known not to answer isn't even asked.
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
     * @param client for as many threads as {@code options} have connections
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
     * A node that is asked with the JDK's client.
     *
     * @param transport must outlive it
     * @param answerMemory of large values
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

    /** On one of the node's threads, or at once on the caller's. */
    @Override
    public void ask(EntityRequest request, long timestampMicros, Consumer<PeerAnswer> receiver) {
        if (health.isRejecting()) {
            receiver.accept(health.rejected());
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
                LOG.error("cannot ask node {}", address, e);
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
