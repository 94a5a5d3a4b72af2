package dht.replication;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import dht.http.HttpOptions;
import dht.http.HttpServer;
import dht.http.ListenAddress;
import dht.http.MemoryBudget;
import dht.http.RequestExecutor;
import dht.http.Response;
import dht.http.Router;
import dht.metrics.ServerMetrics;
import dht.peer.Peer;
import dht.peer.Peers;
import dht.sharding.Placement;
import dht.storage.Dao;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * A coordinator between a storage that fails and two other nodes that answer when a test wants it.
 * All three nodes hold every key, and the coordinator is the first of them. It works on the thread
 * of the request, and later on the threads that deliver answers.
 */
final class StubCluster implements AutoCloseable {
    static final int NODES = 3;
    static final Duration PATIENCE = Duration.ofSeconds(20);

    /** A key of which the coordinator itself has no copy. */
    static final String ELSEWHERE = "elsewhere";

    private static final HttpOptions OPTIONS =
            new HttpOptions(
                    1,
                    100,
                    16 << 10,
                    100,
                    Dao.MAX_VALUE_BYTES,
                    64 << 20,
                    4,
                    PATIENCE,
                    PATIENCE,
                    1,
                    PATIENCE,
                    PATIENCE);

    final FailingDao dao = new FailingDao();

    /** No other node has accepted a stamp of a clock that is set ahead. */
    volatile Duration clockAhead = Duration.ZERO;

    /** Throws while the coordinator's own data may be incomplete. */
    volatile Runnable vote = () -> {};

    final HybridLogicalClock clock =
            new HybridLogicalClock(
                    () -> InstantSource.system().instant().plus(clockAhead), Duration.ofDays(1), 0);
    final StubPeer second;
    final StubPeer third;
    final StubPool pool = new StubPool();
    final ReplicationCounts counts;
    final MemoryBudget copyMemory;
    final RemainingCopies remainingCopies;
    final StubHealing healing = new StubHealing();
    final LocalReplica local;

    private final Semaphore begun = new Semaphore(0);
    private final ListenAddress address = ListenAddress.free("127.0.0.1", 0);
    private final HttpServer server;
    private final HttpClient client = HttpClient.newHttpClient();

    /** The pool: does all at once in the calling thread, unless the node stops. Thread-safe. */
    static final class StubPool implements RequestExecutor {
        private final AtomicInteger resumed = new AtomicInteger();
        private volatile boolean stops;
        private volatile boolean lacksMemory;

        /** Has it refuse what comes. */
        void stop() {
            stops = true;
        }

        /** Has it throw what a pool throws that cannot take a task. */
        void useUpMemory() {
            lacksMemory = true;
        }

        /** How many tasks came a second time. */
        int resumedCount() {
            return resumed.get();
        }

        @Override
        public void execute(Task task) {
            task.run();
        }

        @Override
        public void resume(Task task) {
            resumed.incrementAndGet();
            if (lacksMemory) {
                throw new OutOfMemoryError("made to fail");
            }
            if (stops) {
                task.refuse(Response.unavailable("the server stops"));
            } else {
                task.run();
            }
        }
    }

    /** Every node holds every key, but the coordinator does not hold {@link #ELSEWHERE}. */
    private record Everywhere() implements Placement {
        @Override
        public int nodeCount() {
            return NODES;
        }

        @Override
        public int owner(byte[] key) {
            return 0;
        }

        @Override
        public int[] preferenceList(byte[] key, int count) {
            int first = new String(key, UTF_8).equals(ELSEWHERE) ? 1 : 0;
            return IntStream.range(first, first + count).toArray();
        }
    }

    /**
     * @param copyBytesMax that values may take together whose further copies are still written
     */
    StubCluster(long copyBytesMax) throws IOException {
        List<NodeAddress> nodes =
                IntStream.rangeClosed(1, NODES).mapToObj(i -> new NodeAddress("n" + i, i)).toList();
        clock.noteAccepted(clock.nextMicros());
        Peers peers = new Peers(new Topology(nodes, 0), null, StubPeer::new);
        second = (StubPeer) peers.all().getFirst();
        third = (StubPeer) peers.all().getLast();
        var context = new CoordinatorContext(NODES, clock, pool, copyBytesMax, healing);
        counts = context.counts();
        copyMemory = context.copyMemory();
        remainingCopies = context.remainingCopies();
        local = new LocalReplica(dao, clock, peers.selfAddress().url(), () -> vote.run());
        var service =
                new ReplicatedEntityService(
                        local,
                        new Holders(new Everywhere(), peers, local, clock, healing),
                        new SequentialFanOut(context),
                        RegisterKind.REGULAR);
        Router router =
                Router.forNode(
                        dao,
                        (request, responder) -> {
                            try {
                                service.serve(request, responder);
                            } finally {
                                begun.release();
                            }
                        },
                        pool,
                        OPTIONS);
        router.route(Peer.ENTITY_PATH, Router.entityHandlers(new ReplicaService(local)));
        ServerMetrics metrics = new ServerMetrics(System::nanoTime);
        ReplicationMetrics.watch(counts, metrics.registry());
        metrics.serveOn(router);
        server = new HttpServer(address, OPTIONS, router);
        server.start();
    }

    CompletableFuture<HttpResponse<String>> get(String replicas) throws InterruptedException {
        return begin(entity("k", replicas).GET());
    }

    CompletableFuture<HttpResponse<String>> put(String replicas, String value)
            throws InterruptedException {
        return put("k", replicas, value);
    }

    CompletableFuture<HttpResponse<String>> put(String key, String replicas, String value)
            throws InterruptedException {
        return begin(entity(key, replicas).PUT(HttpRequest.BodyPublishers.ofString(value)));
    }

    CompletableFuture<HttpResponse<String>> delete(String replicas) throws InterruptedException {
        return begin(entity("k", replicas).DELETE());
    }

    private HttpRequest.Builder entity(String key, String replicas) {
        return to("/v0/entity?id=" + key + "&replicas=" + replicas);
    }

    private HttpRequest.Builder to(String target) {
        return HttpRequest.newBuilder(URI.create(address.url() + target));
    }

    /**
     * Asks for the coordinator's own copy of a key, as another coordinator does.
     *
     * @param parameters after the key; those of a write begin with an ampersand
     */
    HttpResponse<String> askCopy(String method, String parameters) throws Exception {
        return client.send(
                to(Peer.ENTITY_PATH + "?id=k" + parameters)
                        .method(method, HttpRequest.BodyPublishers.ofString("v"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** What the coordinator says at {@code /metrics}. */
    String metrics() throws Exception {
        return client.send(to("/metrics").build(), HttpResponse.BodyHandlers.ofString()).body();
    }

    /** Stops like a node: takes no more requests, and waits for writes that go on. */
    void drain() throws InterruptedException {
        remainingCopies.drain(server, PATIENCE);
    }

    /** Returns when the coordinator has asked all whom it asks before there is an answer. */
    private CompletableFuture<HttpResponse<String>> begin(HttpRequest.Builder request)
            throws InterruptedException {
        var response = client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(begun.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return response;
    }

    static HttpResponse<String> await(CompletableFuture<HttpResponse<String>> response)
            throws Exception {
        return response.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        server.stop();
        client.close();
    }
}
