package dht.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import dht.http.HttpOptions;
import dht.http.HttpServer;
import dht.http.ListenAddress;
import dht.http.MemoryBudget;
import dht.http.RequestExecutor;
import dht.http.Router;
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
import java.util.stream.IntStream;

/**
 * A coordinator, the first of three nodes that all hold every key, between a storage that fails and
 * two nodes that answer as the test wants. It works on the thread of the request, and afterwards on
 * those that bring answers.
 */
final class StubCluster implements AutoCloseable {
    static final int NODES = 3;
    static final Duration PATIENCE = Duration.ofSeconds(20);
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

    /** No other node has believed a clock that is set ahead. */
    volatile Duration clockAhead = Duration.ZERO;

    final HybridLogicalClock clock =
            new HybridLogicalClock(
                    () -> InstantSource.system().instant().plus(clockAhead), Duration.ofDays(1), 0);
    final StubPeer second;
    final StubPeer third;
    final ReplicationCounts counts;
    final MemoryBudget lateMemory;

    private final Semaphore begun = new Semaphore(0);
    private final ListenAddress address = ListenAddress.free("127.0.0.1", 0);
    private final HttpServer server;
    private final HttpClient client = HttpClient.newHttpClient();

    /** Every node holds every key. */
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
            return IntStream.range(0, count).toArray();
        }
    }

    /**
     * @param lateBytesMax that values may take together whose further copies are still written
     */
    StubCluster(long lateBytesMax) throws IOException {
        List<NodeAddress> nodes =
                IntStream.rangeClosed(1, NODES).mapToObj(i -> new NodeAddress("n" + i, i)).toList();
        clock.believed(clock.nextMicros());
        Peers peers = new Peers(new Topology(nodes, 0), null, StubPeer::new);
        second = (StubPeer) peers.all().getFirst();
        third = (StubPeer) peers.all().getLast();
        var context = new CoordinatorContext(clock, RequestExecutor.inline(), lateBytesMax);
        counts = context.counts();
        lateMemory = context.lateMemory();
        var service =
                new ReplicatedEntityService(
                        new Everywhere(),
                        peers,
                        new LocalReplica(dao, clock, peers.selfAddress().url()),
                        clock,
                        new SequentialFanOut(context));
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
                        RequestExecutor.inline(),
                        OPTIONS);
        server = new HttpServer(address, OPTIONS, router);
        server.start();
    }

    CompletableFuture<HttpResponse<String>> get(String replicas) throws InterruptedException {
        return begin(to(replicas).GET());
    }

    CompletableFuture<HttpResponse<String>> put(String replicas, String value)
            throws InterruptedException {
        return begin(to(replicas).PUT(HttpRequest.BodyPublishers.ofString(value)));
    }

    private HttpRequest.Builder to(String replicas) {
        return HttpRequest.newBuilder(
                URI.create(address.url() + "/v0/entity?id=k&replicas=" + replicas));
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
