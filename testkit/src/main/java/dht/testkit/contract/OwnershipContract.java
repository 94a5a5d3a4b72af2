package dht.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/**
 * A cluster whose keys are divided among the nodes: each key has one owner, and a client may send a
 * request to any node.
 */
public interface OwnershipContract extends ClusterContract {
    @Test
    @Verifies(Promise.ANY_NODE_ANSWERS)
    default void put_throughAnyNode_isReadThroughEach() {
        var nodes = cluster().nodes();
        for (var entry : nodes) {
            var key = Keys.unique();
            var value = Values.small();
            entry.put(key, value).expectStatus(201);
            nodes.forEach(node -> node.get(key).expectValue(value));
        }
    }

    @Test
    @Verifies(Promise.ANY_NODE_ANSWERS)
    default void put_overAnotherThroughAnyNode_isReadThroughEach() {
        var nodes = cluster().nodes();
        var key = Keys.unique();
        for (var entry : nodes) {
            var value = Values.small();
            entry.put(key, value).expectStatus(201);
            nodes.forEach(node -> node.get(key).expectValue(value));
        }
    }

    @Test
    @Verifies(Promise.ANY_NODE_ANSWERS)
    default void delete_throughAnyNode_isSeenThroughEach() {
        var nodes = cluster().nodes();
        for (var entry : nodes) {
            var key = Keys.unique();
            cluster().node(0).put(key, Values.small()).expectStatus(201);
            entry.delete(key).expectStatus(202);
            nodes.forEach(node -> node.get(key).expectError(404));
        }
    }

    @Test
    @Verifies(Promise.ANY_NODE_ANSWERS)
    default void value_ofAnySize_passesBetweenNodesWhole() {
        var owner = cluster().node(0);
        var others = cluster().others(owner);
        var key = cluster().keyOwnedBy(owner, Values.small());
        var sizes = List.of(0, 1, (64 << 10) - 1, 64 << 10, (64 << 10) + 1, Values.BYTES_MAX);
        for (var size : sizes) {
            var value = Values.ofSize(size);
            others.getFirst().put(key, value).expectStatus(201);
            others.getLast().get(key).expectValue(value);
        }
        owner.delete(key).expectStatus(202);
    }

    @Test
    @Verifies(Promise.KEYS_ARE_DECODED_BYTES)
    default void key_ofAnyBytes_isTheSameOnEachNode() {
        var longest = Keys.ofLength(Keys.BYTES_MAX);
        var unique = Keys.unique();
        var keys =
                List.of(
                        "%",
                        "%2F", "+", " ", "&id=", "#?/", "ключ", "\uD83D\uDD11", "a\nb", "\u0001");
        for (var key : keys) {
            expectTheSameOnEachNode(unique + key);
        }
        expectTheSameOnEachNode(longest);
    }

    private void expectTheSameOnEachNode(String key) {
        var value = key.getBytes(UTF_8);
        for (var entry : cluster().nodes()) {
            entry.put(key, value).expectStatus(201);
            cluster().nodes().forEach(node -> node.get(key).expectValue(value));
            entry.delete(key).expectStatus(202);
            cluster().nodes().forEach(node -> node.get(key).expectStatus(404));
        }
    }

    @Test
    @Verifies(Promise.ONE_OWNER)
    default void key_writtenThroughEveryNode_isOnOneAlone() {
        for (var i = 0; i < 20; i++) {
            var key = Keys.unique();
            cluster().nodes().forEach(node -> node.put(key, Values.small()).expectStatus(201));
            cluster().owner(key);
        }
    }

    @Test
    @Verifies(Promise.KEYS_ARE_SPREAD)
    default void keys_thatFollowEachOther_areSpreadOverAllNodes() {
        var keysPerNode = 100;
        var count = keysPerNode * cluster().size();
        var prefix = Keys.unique() + "-";
        for (var i = 0; i < count; i++) {
            cluster().node(i % cluster().size()).put(prefix + i, Values.small()).expectStatus(201);
        }
        var held =
                cluster().nodes().stream()
                        .map(node -> node.range(prefix, prefix + "~").expectStatus(200))
                        .map(range -> range.chunks().size())
                        .toList();
        // Half and double the mean are more than six standard deviations away from it.
        if (held.stream().mapToInt(Integer::intValue).sum() != count
                || held.stream().anyMatch(n -> n < keysPerNode / 2 || n > keysPerNode * 2)) {
            throw new Mismatch(
                    "%d keys, about %d a node".formatted(count, keysPerNode), "held: " + held);
        }
    }

    @Test
    @Verifies(Promise.ANY_NODE_ANSWERS)
    default void key_usedByManyThroughAllNodes_isNeverMissingOrMixed() {
        var cluster = cluster();
        var key = Keys.unique();
        cluster.node(0).put(key, hotValue(0)).expectStatus(201);
        ClientThreads.run(
                2 * cluster.size(),
                cluster.node(0).longPatience(),
                client -> {
                    var node = cluster.node(client % cluster.size());
                    for (var i = 0; i < 50; i++) {
                        node.put(key, hotValue(client * 100 + i)).expectStatus(201);
                        expectHotValue(node.get(key));
                    }
                });
        var last = cluster.node(0).get(key).expectStatus(200).body();
        cluster.nodes().forEach(node -> node.get(key).expectValue(last));
        cluster.owner(key);
    }

    private static byte[] hotValue(int seed) {
        return Values.text(Integer.toString(seed).repeat(1000));
    }

    private static void expectHotValue(Response response) {
        var text = new String(response.expectStatus(200).body(), UTF_8);
        var unit = text.substring(0, text.length() / 1000);
        response.expectBody(Values.text(unit.repeat(1000)));
    }

    @Test
    @Verifies(Promise.INTERNAL_IS_LOCAL)
    default void internalRequest_toAnyNode_isAnsweredFromItsOwnStorage() {
        var owner = cluster().node(0);
        var value = Values.small();
        var key = cluster().keyOwnedBy(owner, value);
        askInternally(owner, key).expectValue(value);
        cluster().others(owner).forEach(node -> askInternally(node, key).expectStatus(404));
    }

    private static Response askInternally(ServerUnderTest node, String key) {
        var response = node.ask(Request.get(Target.internalEntity(key)));
        if (response.status() == 403) {
            throw new TestAbortedException("the nodes have a secret that this test doesn't know");
        }
        return response;
    }

    @Test
    @Verifies(Promise.LISTS_MUST_AGREE)
    default void clusterLists_thatDiffer_areToldOnFirstContact() {
        var cluster = freshCluster((all, node) -> node == 1 ? all.subList(0, 2) : all);
        var urls = IntStream.range(0, 2).mapToObj(i -> urlOf(cluster, i)).toList();
        var answers =
                IntStream.range(0, 40)
                        .mapToObj(_ -> cluster.node(0).get(Keys.unique()))
                        .map(response -> response.expectStatus(404, 502))
                        .filter(response -> response.status() == 502)
                        .map(response -> new String(response.expectError(502).body(), UTF_8))
                        .toList();
        if (answers.isEmpty() || !urls.stream().allMatch(answers.getFirst()::contains)) {
            throw new Mismatch("502 that names the nodes " + urls, "502: " + answers);
        }
    }

    private static String urlOf(ClusterUnderTest cluster, int node) {
        return cluster.node(node).node().spec().self().toString();
    }
}
