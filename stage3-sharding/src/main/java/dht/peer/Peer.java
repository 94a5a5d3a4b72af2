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
import dht.http.Status;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.Silent;
import dht.peer.PeerAnswer.TooLarge;
import dht.peer.PeerAnswer.Unreachable;
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
    private final Response busy;
    private final Response noMemory;

    /** What to say while the breaker is shut: how the last request failed. */
    private volatile Response lastFailure;

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
        this.busy = Response.unavailable("too many requests wait for node " + address);
        this.noMemory = Response.unavailable("too many large values at a time");
        this.lastFailure = Response.of(Status.BAD_GATEWAY, "node " + address + " is not asked");
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
        if (breaker.isShut()) {
            turnAway(responder);
        } else {
            executor.execute(new AskTask(request, responder));
        }
    }

    private void turnAway(Responder responder) {
        counts.refused();
        responder.respond(lastFailure);
    }

    private final class AskTask implements RequestExecutor.Task {
        private final EntityRequest request;
        private final Responder responder;

        AskTask(EntityRequest request, Responder responder) {
            this.request = request;
            this.responder = responder;
        }

        @Override
        public void run() {
            if (!breaker.tryEnter()) {
                turnAway(responder);
                return;
            }
            try {
                pass(client.ask(request), responder);
            } catch (Throwable e) {
                breaker.failed();
                responder.fail(e);
            }
        }

        @Override
        public void refuse(Response answer) {
            counts.busy();
            responder.respond(busy);
        }
    }

    private void pass(PeerAnswer answer, Responder responder) {
        switch (answer) {
            case Answered answered -> {
                noteAnswer();
                forwarded.pass(answered, responder);
            }
            case TooLarge _ -> {
                noteAnswer();
                responder.respond(noMemory);
            }
            case Unreachable unreachable -> {
                counts.unreachable();
                fail(
                        Status.BAD_GATEWAY,
                        "node " + address + " is unreachable: " + unreachable.cause(),
                        responder);
            }
            case Silent _ -> {
                counts.silent();
                fail(Status.GATEWAY_TIMEOUT, "node " + address + " does not answer", responder);
            }
        }
    }

    private void noteAnswer() {
        counts.answered();
        if (breaker.succeeded()) {
            LOG.info("node {} answers again", address);
        }
    }

    private void fail(Status status, String line, Responder responder) {
        Response failure = Response.of(status, line);
        lastFailure = failure;
        if (breaker.failed()) {
            LOG.warn("{}: from now on one request at a time tries it", line);
        }
        responder.respond(failure);
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
