package dht.peer;

import dht.cluster.NodeAddress;
import dht.execution.CountedExecutor;
import dht.execution.ExecutionOptions;
import dht.execution.ExecutorKind;
import dht.http.EntityRequest;
import dht.http.EntityService;
import dht.http.MemoryBudget;
import dht.http.RequestExecutor;
import dht.http.Responder;
import dht.http.Response;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.Busy;
import dht.peer.PeerAnswer.NotAsked;
import dht.peer.PeerAnswer.Silent;
import dht.peer.PeerAnswer.TooLarge;
import dht.peer.PeerAnswer.Unreachable;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Another node, as what answers for its keys: requests wait in a queue of its own for threads of
 * its own, so that a node which is slow or silent holds up nobody but who asks for its keys; one
 * that is known not to answer isn't even asked.
 *
 * <p>Thread-safe; doesn't block the caller.
 */
public final class Peer implements EntityService, AutoCloseable {
    /** Where a node answers from its own storage, and asks nobody. */
    public static final String ENTITY_PATH = "/internal/v0/entity";

    private static final Logger LOG = LoggerFactory.getLogger(Peer.class);

    private final NodeAddress address;
    private final PeerClient client;
    private final CircuitBreaker breaker;
    private final CountedExecutor executor;
    private final PeerCounts counts = new PeerCounts();
    private final ForwardedAnswer forwarded;

    /** What to say while the breaker is shut: how the last request failed. */
    private volatile PeerAnswer lastFailure = new Unreachable("not asked yet");

    public Peer(
            NodeAddress address,
            Credentials credentials,
            PeerOptions options,
            MemoryBudget answerMemory) {
        this.address = address;
        this.client = new PeerClient(address, credentials, options, answerMemory);
        this.breaker =
                new CircuitBreaker(options.failuresMax(), options.retryPause(), System::nanoTime);
        this.executor =
                ExecutorKind.FIFO.open(
                        "peer-" + address.host() + ":" + address.port(),
                        executionOptions(options),
                        System::nanoTime);
        this.forwarded = new ForwardedAnswer(address);
    }

    private static ExecutionOptions executionOptions(PeerOptions options) {
        return new ExecutionOptions(
                ExecutorKind.FIFO,
                options.connectionCount(),
                options.queueLengthMax(),
                options.requestTimeout(),
                options.drainTimeout());
    }

    @Override
    public void serve(EntityRequest request, Responder responder) {
        ask(
                request,
                "",
                answer -> {
                    try {
                        forwarded.pass(answer, responder);
                    } catch (Throwable e) {
                        responder.fail(e);
                    }
                });
    }

    /**
     * Asks the node; what became of it comes on one of the node's threads, or at once on the
     * caller's.
     *
     * @param parameters that go behind the key, such as {@code &timestamp=1}, or empty
     * @param receiver must not throw
     */
    public void ask(EntityRequest request, String parameters, Consumer<PeerAnswer> receiver) {
        if (breaker.isShut()) {
            turnAway(receiver);
        } else {
            executor.execute(new AskTask(request, parameters, receiver));
        }
    }

    private void turnAway(Consumer<PeerAnswer> receiver) {
        counts.refused();
        receiver.accept(new NotAsked(lastFailure));
    }

    private final class AskTask implements RequestExecutor.Task {
        private final EntityRequest request;
        private final String parameters;
        private final Consumer<PeerAnswer> receiver;

        AskTask(EntityRequest request, String parameters, Consumer<PeerAnswer> receiver) {
            this.request = request;
            this.parameters = parameters;
            this.receiver = receiver;
        }

        @Override
        public void run() {
            if (breaker.tryEnter()) {
                receiver.accept(noted(ask()));
            } else {
                turnAway(receiver);
            }
        }

        private PeerAnswer ask() {
            try {
                return client.ask(request, parameters);
            } catch (RuntimeException | Error e) {
                LOG.error("cannot ask node {}", address, e);
                return new Unreachable(e.toString());
            }
        }

        @Override
        public void refuse(Response answer) {
            counts.busy();
            receiver.accept(new Busy());
        }
    }

    private PeerAnswer noted(PeerAnswer answer) {
        switch (answer) {
            case Answered _, TooLarge _, Busy _ -> noteAnswer();
            case Unreachable _ -> {
                counts.unreachable();
                noteFailure(answer);
            }
            case Silent _, NotAsked _ -> {
                counts.silent();
                noteFailure(answer);
            }
        }
        return answer;
    }

    private void noteAnswer() {
        counts.answered();
        if (breaker.succeeded()) {
            LOG.info("node {} answers again", address);
        }
    }

    private void noteFailure(PeerAnswer answer) {
        lastFailure = answer;
        if (breaker.failed()) {
            LOG.warn(
                    "node {} {}: from now on one request at a time tries it",
                    address,
                    answer.verdict());
        }
    }

    public NodeAddress address() {
        return address;
    }

    /** What became of the requests so far. */
    public PeerCounts counts() {
        return counts;
    }

    public CircuitBreaker.State breakerState() {
        return breaker.state();
    }

    /** How many requests wait. */
    public int queuedCount() {
        return executor.queuedCount();
    }

    /** Ends requests in flight, within a deadline, and closes the connections. */
    @Override
    public void close() {
        executor.close();
        client.close();
    }
}
