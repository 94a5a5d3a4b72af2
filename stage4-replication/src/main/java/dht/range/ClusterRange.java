package dht.range;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.http.HttpRequest;
import dht.http.RangeBounds;
import dht.http.RequestException;
import dht.http.RequestExecutor;
import dht.http.Responder;
import dht.http.Response;
import dht.http.Router;
import dht.http.Status;
import dht.replication.QuorumParameters;
import dht.storage.EntryCursor;
import dht.storage.StorageUnavailableException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Serves ranges over the cluster: {@code GET /v0/entities?scope=cluster}. Virtual threads read
 * them, because reading waits for other nodes. Each range uses at most one thread, and one more for
 * each node.
 *
 * <p>Thread-safe.
 */
public final class ClusterRange {
    /**
     * The most ranges that are read at a time. Each needs memory for two pages of each node, and
     * for one large value.
     */
    private static final int RANGE_COUNT_MAX = 4;

    private static final byte[] CLUSTER = "cluster".getBytes(ISO_8859_1);
    private static final RequestExecutor THREADS =
            task -> Thread.ofVirtual().name("cluster-range").start(task::run);

    private final List<RangeNode> nodes;
    private final QuorumParameters parameters;
    private final Semaphore ranges = new Semaphore(RANGE_COUNT_MAX);
    private final Runnable ending = ranges::release; // Created now: later there may be no memory.

    /**
     * @param nodes all nodes of the cluster
     */
    public ClusterRange(List<RangeNode> nodes) {
        this.nodes = List.copyOf(nodes);
        this.parameters = new QuorumParameters(nodes.size());
    }

    /** Makes the path of ranges also serve {@code scope=cluster}. */
    public void route(Router router) {
        router.wrap(
                (path, _, handler) ->
                        path.equals(Router.ENTITIES_PATH) ? orElse(handler) : handler);
    }

    private Router.Handler orElse(Router.Handler otherScopes) {
        return (http, responder) -> {
            byte[] scope = http.parameter("scope");
            if (Arrays.equals(scope, CLUSTER)) {
                handle(http, responder);
            } else {
                otherScopes.handle(http, responder);
            }
        };
    }

    private void handle(HttpRequest http, Responder responder) throws RequestException {
        RangeBounds bounds = RangeBounds.of(http);
        NodeQuorum quorum = new NodeQuorum(parameters.of(http), nodes.size());
        if (!ranges.tryAcquire()) {
            responder.respond(
                    Response.unavailable(
                            "already " + RANGE_COUNT_MAX + " ranges over the cluster are read"));
            return;
        }
        try {
            THREADS.execute(new BeginTask(bounds, quorum, responder));
        } catch (Throwable e) { // Memory has run out, in most cases. The router answers the client.
            ranges.release();
            throw e;
        }
    }

    /**
     * Answers one range, and opens its cursor. One object does both jobs. A second object would
     * need memory later. If there were none, the permit of {@code ranges} would never be released.
     */
    private final class BeginTask implements RequestExecutor.Task, Supplier<EntryCursor> {
        private final RangeBounds bounds;
        private final NodeQuorum quorum;
        private final Responder responder;

        BeginTask(RangeBounds bounds, NodeQuorum quorum, Responder responder) {
            this.bounds = bounds;
            this.quorum = quorum;
            this.responder = responder;
        }

        @Override
        public void run() {
            try {
                stream();
            } catch (Throwable e) {
                responder.fail(e);
            }
        }

        private void stream() {
            try {
                responder.respond(this, THREADS, ending);
            } catch (StorageUnavailableException e) {
                responder.respond(Response.of(Status.NOT_ENOUGH_REPLICAS, e.getMessage()));
            }
        }

        @Override
        public EntryCursor get() {
            ClusterCursor cursor = new ClusterCursor(nodes, bounds.start(), bounds.end(), quorum);
            cursor.begin();
            return cursor;
        }

        @Override
        public void refuse(Response answer) {
            ranges.release();
            responder.respond(answer);
        }
    }
}
