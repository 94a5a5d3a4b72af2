package dht.stage4;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.node.DiskKind;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the rebuild of this server, where other servers may behave differently: which nodes wait
 * for which others, and what they keep.
 */
class RebuildTest implements ClusterContract {
    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final int KEYS = 20;

    @Override
    public NodeFactory servers() {
        return Stage4Nodes.inProcess();
    }

    @Test
    @Verifies(Promise.COPIES_ARE_EXACT)
    void keysOfTwoNodes_whenOneNodeAfterTheOtherIsEmptied_stayOnTwoNodes() {
        ClusterUnderTest cluster = freshCluster();
        byte[] value = Values.small();
        List<String> keys = keys();
        keys.forEach(key -> put(cluster.node(0), key, value, "2/2").expectStatus(201));
        for (ServerUnderTest node : cluster.nodes()) {
            node.stop();
            node.emptyDataDirectory();
            node.start();
            awaitReading(cluster);
            keys.forEach(key -> assertThat(cluster.holders(key)).hasSize(2));
        }
        keys.forEach(key -> get(cluster.node(0), key, "2/2").expectValue(value));
    }

    @Test
    @Verifies(Promise.EMPTIED_IS_NO_VOTER)
    void newCluster_ofWhichANodeIsMissing_saysThatItWaitsForIt() {
        ClusterUnderTest cluster = newClusterWithoutItsLastNode();
        ServerUnderTest missing = cluster.node(2);
        String key = Keys.unique();
        byte[] value = Values.small();
        put(cluster.node(0), key, value, "2/3").expectStatus(201);
        String line = new String(get(cluster.node(0), key, "2/3").expectStatus(504).body());
        assertThat(line)
                .contains("new data directory", "waiting for")
                .contains(missing.node().clusterUrl().toString());

        missing.start();
        get(cluster.node(0), key, "2/3").expectValue(value);
    }

    /** Another node would take what is lost there for what was never written. */
    @ParameterizedTest
    @ValueSource(strings = {"digests", "versions"})
    @Verifies(Promise.EMPTIED_IS_NO_VOTER)
    void nodeThatMayHaveLostItsData_answersNoComparison(String question) {
        ServerUnderTest node = newClusterWithoutItsLastNode().node(0);
        Response answer = node.ask(Request.put("/internal/v0/repair/" + question, Values.small()));
        assertThat(new String(answer.expectStatus(503).body(), UTF_8)).contains("waiting for");
    }

    private ClusterUnderTest newClusterWithoutItsLastNode() {
        ClusterUnderTest cluster = freshCluster();
        cluster.nodes().forEach(ServerUnderTest::stop);
        cluster.nodes().forEach(ServerUnderTest::emptyDataDirectory);
        cluster.node(0).start();
        cluster.node(1).start();
        return cluster;
    }

    /** The others may have dropped the tombstone meanwhile, and could not delete the key again. */
    @Test
    @Verifies(Promise.DELETED_STAYS_DELETED)
    void nodeAwayForLongerThanTheGrace_isRebuilt_andKeepsItsOldData() throws Exception {
        ClusterUnderTest cluster =
                freshCluster(
                        Stage4Nodes.inProcess("--gc-grace=" + GRACE.toMillis() + "ms"),
                        DiskKind.SHARED);
        ServerUnderTest away = cluster.node(2);
        byte[] value = Values.small();
        String kept = Keys.unique();
        String gone = Keys.unique();
        put(away, kept, value, "3/3").expectStatus(201);
        put(away, gone, value, "3/3").expectStatus(201);
        away.stop();
        delete(cluster.node(0), gone).expectStatus(202);
        Instant over = Instant.now().plus(GRACE).plusMillis(1);
        Deadline.in(away.longPatience())
                .await("the grace to be over", () -> Instant.now().isAfter(over));
        away.start();

        get(away, kept, "2/3").expectValue(value);
        get(away, gone, "2/3").expectStatus(404);
        awaitReading(cluster);
        assertThat(away.range(kept, kept + '\0').body()).isNotEmpty();
        assertThat(away.range(gone, gone + '\0').body()).isEmpty();
        assertThat(keptFiles(away.node().spec().dataDir())).contains("MANIFEST");
    }

    /** At this rate, the rebuild takes longer than the test. */
    @Test
    @Verifies(Promise.EMPTIED_IS_NO_VOTER)
    void nodeThatIsRebuilt_whileOthersAnswer_isNotAskedByReads() {
        ClusterUnderTest cluster =
                freshCluster(Stage4Nodes.inProcess("--rebuild-rate=1k"), DiskKind.SHARED);
        ServerUnderTest reader = cluster.node(0);
        ServerUnderTest rebuilt = cluster.node(1);
        byte[] value = new byte[8 << 10];
        List<String> keys = keys();
        keys.forEach(key -> put(reader, key, value, "3/3").expectStatus(201));
        rebuilt.stop();
        rebuilt.emptyDataDirectory();
        rebuilt.start();

        Deadline.in(reader.patience())
                .await(
                        "reads to ask only the third node",
                        () -> {
                            long before = requestsTo(rebuilt, reader);
                            keys.forEach(key -> get(reader, key, "2/3").expectValue(value));
                            return requestsTo(rebuilt, reader) == before;
                        });
        get(reader, keys.getFirst(), "3/3").expectStatus(504); // It is still being rebuilt.
    }

    private static long requestsTo(ServerUnderTest node, ServerUnderTest asking) {
        String peer = "peer=\"" + node.node().clusterUrl() + "\"";
        byte[] body = asking.ask(Request.get(Target.METRICS)).expectStatus(200).body();
        return new String(body, UTF_8)
                .lines()
                .filter(line -> line.startsWith("peer_requests_total{") && line.contains(peer))
                .mapToLong(
                        line -> (long) Double.parseDouble(line.substring(line.indexOf("} ") + 2)))
                .sum();
    }

    private static List<String> keptFiles(Path data) throws IOException {
        try (Stream<Path> directories = Files.list(data)) {
            Path kept =
                    directories
                            .filter(each -> each.getFileName().toString().startsWith("kept-"))
                            .findFirst()
                            .orElseThrow();
            try (Stream<Path> files = Files.list(kept)) {
                return files.map(file -> file.getFileName().toString()).toList();
            }
        }
    }

    private static List<String> keys() {
        return IntStream.range(0, KEYS).mapToObj(_ -> Keys.unique()).toList();
    }

    private static void awaitReading(ClusterUnderTest cluster) {
        ServerUnderTest reader = cluster.node(0);
        Deadline.in(reader.longPatience())
                .await(
                        "all nodes to answer reads",
                        () -> get(reader, Keys.unique(), "3/3").status() == 404);
    }

    private static Response put(ServerUnderTest node, String key, byte[] value, String replicas) {
        return node.ask(Request.put(Target.entity(key, "replicas=" + replicas), value));
    }

    private static Response get(ServerUnderTest node, String key, String replicas) {
        return node.ask(Request.get(Target.entity(key, "replicas=" + replicas)));
    }

    private static Response delete(ServerUnderTest node, String key) {
        return node.ask(Request.delete(Target.entity(key)));
    }
}
