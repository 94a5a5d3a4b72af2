package dht.stage3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.Topology;
import dht.sharding.Placement;
import dht.sharding.PlacementKind;
import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.concurrent.Deadline;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A cluster with one more node, which accepts connections and never answers. */
class SilentOwnerTest implements ClusterContract {
    private static final Duration TIMEOUT = Duration.ofSeconds(4);
    private static final int CLIENT_COUNT = 32;
    private static final int LATER_COUNT = 20;

    private ServerSocket silent; // The operating system takes the connections: nobody accepts them.

    @Override
    public NodeFactory servers() {
        return Stage3Nodes.inProcess(
                TIMEOUT, "--peer-connections=1", "--peer-failures-max=1", "--peer-retry-pause=1h");
    }

    @Override
    public int nodeCount() {
        return 2;
    }

    @BeforeEach
    void listen() throws IOException {
        silent = new ServerSocket(0, CLIENT_COUNT, InetAddress.ofLiteral("127.0.0.1"));
    }

    @AfterEach
    void close() throws IOException {
        silent.close();
    }

    @Test
    @Verifies(Promise.SILENT_OWNER_IS_504)
    void owner_thatIsSilentForMany_is504ForItsKeysAloneAndIsSeen() {
        ClusterUnderTest cluster = freshCluster((all, _) -> withSilent(all));
        ServerUnderTest entry = cluster.node(0);
        String lostKey = keyOf(silentUrl(), cluster);
        List<String> otherKeys =
                cluster.nodes().stream()
                        .map(node -> keyOf(node.node().spec().self(), cluster))
                        .toList();
        byte[] value = Values.small();
        otherKeys.forEach(key -> entry.put(key, value).expectStatus(201));

        AtomicInteger answered = new AtomicInteger();
        long startNanos = System.nanoTime();
        try (ClientThreads asking =
                ClientThreads.start(CLIENT_COUNT, _ -> expect504(entry, lostKey, answered))) {
            Deadline.in(entry.patience())
                    .await(
                            "all but one to wait",
                            () -> Metrics.ofQueue(entry, silentUrl()) == CLIENT_COUNT - 1);
            int servedMeanwhile = 0;
            while (answered.get() == 0) {
                otherKeys.forEach(key -> entry.get(key).expectValue(value));
                servedMeanwhile++;
            }
            asking.join(entry.longPatience());
            assertThat(Duration.ofNanos(System.nanoTime() - startNanos))
                    .isBetween(TIMEOUT, TIMEOUT.multipliedBy(3));
            assertThat(servedMeanwhile).isGreaterThan(3);
        }

        long laterNanos = System.nanoTime();
        for (int i = 0; i < LATER_COUNT; i++) {
            entry.get(lostKey).expectError(504);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - laterNanos)).isLessThan(TIMEOUT);
        otherKeys.forEach(key -> entry.get(key).expectValue(value));

        assertThat(Metrics.ofOutcome(entry, silentUrl(), "silent")).isEqualTo(1);
        assertThat(Metrics.ofOutcome(entry, silentUrl(), "refused"))
                .isEqualTo(CLIENT_COUNT - 1 + LATER_COUNT);
        assertThat(Metrics.ofOutcome(entry, silentUrl(), "busy")).isZero();
        assertThat(Metrics.ofQueue(entry, silentUrl())).isZero();
        assertThat(Metrics.ofBreaker(entry, silentUrl(), "open")).isEqualTo(1);
        assertThat(Metrics.ofBreaker(entry, silentUrl(), "closed")).isZero();
    }

    private static void expect504(ServerUnderTest entry, String key, AtomicInteger answered) {
        entry.get(key).expectError(504);
        answered.incrementAndGet();
    }

    private URI silentUrl() {
        return URI.create("http://127.0.0.1:" + silent.getLocalPort());
    }

    private List<URI> withSilent(List<URI> all) {
        return Stream.concat(all.stream(), Stream.of(silentUrl())).toList();
    }

    private String keyOf(URI owner, ClusterUnderTest cluster) {
        List<URI> started =
                cluster.nodes().stream().map(node -> node.node().spec().self()).toList();
        List<String> urls = withSilent(started).stream().map(URI::toString).toList();
        List<String> names = Topology.of(urls.getFirst(), urls).names();
        Placement placement =
                PlacementKind.RENDEZVOUS.of(names, PlacementKind.VIRTUAL_NODE_COUNT_DEFAULT);
        return Stream.generate(Keys::unique)
                .filter(
                        key ->
                                names.get(placement.owner(key.getBytes(UTF_8)))
                                        .equals(owner.toString()))
                .findFirst()
                .orElseThrow();
    }
}
