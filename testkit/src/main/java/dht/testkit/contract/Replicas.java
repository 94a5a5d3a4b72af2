package dht.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import dht.testkit.transcript.Mismatch;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/** Requests and checks for tests of replicated keys. Stateless. */
final class Replicas {
    private Replicas() {}

    /** The query parameter for {@code ack} and {@code from}. */
    static String of(int ack, int from) {
        return "replicas=%d/%d".formatted(ack, from);
    }

    static Response put(ServerUnderTest node, String key, byte[] value, int ack, int from) {
        return node.ask(Request.put(Target.entity(key, of(ack, from)), value));
    }

    static Response get(ServerUnderTest node, String key, int ack, int from) {
        return node.ask(Request.get(Target.entity(key, of(ack, from))));
    }

    static Response delete(ServerUnderTest node, String key, int ack, int from) {
        return node.ask(Request.delete(Target.entity(key, of(ack, from))));
    }

    /** Waits until each node can reach all other nodes. After a start, this may take a moment. */
    static void awaitServing(ClusterUnderTest cluster) {
        awaitServing(cluster.nodes(), cluster.size(), cluster.size());
    }

    /** Waits until each of these nodes reaches so many of the nodes that are to hold a key. */
    static void awaitServing(List<ServerUnderTest> nodes, int ack, int from) {
        for (var node : nodes) {
            Deadline.in(node.patience())
                    .await(
                            "%s to reach %d nodes".formatted(names(List.of(node)), ack),
                            () -> put(node, Keys.unique(), new byte[0], ack, from).status() == 201);
        }
    }

    /** Waits until every node answers reads: one whose data was lost may need a moment for that. */
    static void awaitReading(ClusterUnderTest cluster) {
        var all = cluster.size();
        var reader = cluster.node(0);
        Deadline.in(reader.longPatience())
                .await(
                        "all nodes to answer reads",
                        () -> get(reader, Keys.unique(), all, all).status() == 404);
    }

    /** Whether the body of the answer names the node, by the URL that other nodes use. */
    static boolean isNamed(ServerUnderTest node, Response response) {
        return new String(response.body(), UTF_8).contains(node.node().clusterUrl().toString());
    }

    static int majority(ClusterUnderTest cluster) {
        return cluster.size() / 2 + 1;
    }

    static ServerUnderTest any(ClusterUnderTest cluster, Random random) {
        return cluster.node(random.nextInt(cluster.size()));
    }

    /** Waits until exactly {@code count} nodes hold the key, and returns them. */
    static List<ServerUnderTest> awaitHolders(ClusterUnderTest cluster, String key, int count) {
        Deadline.in(cluster.node(0).patience()).reached(() -> cluster.holders(key).size() == count);
        return expectHolders(cluster, key, count);
    }

    static List<ServerUnderTest> expectHolders(ClusterUnderTest cluster, String key, int count) {
        var holders = cluster.holders(key);
        if (holders.size() != count) {
            throw new Mismatch(
                    "%d nodes to hold the key".formatted(count),
                    "it is held by %d: %s".formatted(holders.size(), names(holders)));
        }
        return holders;
    }

    /**
     * Checks again how many nodes hold each key. Late copies must have been made by then: since the
     * writes, each node has coordinated another write with all nodes.
     */
    static void expectStillHeld(ClusterUnderTest cluster, Map<String, Integer> holderCounts) {
        awaitServing(cluster);
        holderCounts.forEach((key, count) -> expectHolders(cluster, key, count));
    }

    static String names(List<ServerUnderTest> nodes) {
        return nodes.stream()
                .map(node -> node.node().spec().name())
                .collect(Collectors.joining(", "));
    }
}
