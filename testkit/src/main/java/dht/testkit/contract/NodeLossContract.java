package dht.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.http.Response;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Needs;
import dht.testkit.junit.Verifies;
import dht.testkit.node.Ability;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import org.junit.jupiter.api.Test;

/** Nodes that are down or silent: which requests succeed without them, and which get 504. */
public interface NodeLossContract extends ClusterContract {
    @Test
    @Verifies(Promise.TOO_FEW_IS_504)
    default void request_withMoreAcksThanNodesUp_returns504() {
        var cluster = freshCluster();
        var all = cluster.size();
        for (var down = 1; down < all; down++) {
            var lost = cluster.node(all - down);
            lost.stop();
            for (var node : cluster.nodes().subList(0, all - down)) {
                expectTooFew(node, all - down + 1, all, lost);
                expectServed(cluster, node, all - down);
            }
        }
    }

    private static void expectTooFew(
            ServerUnderTest node, int ack, int from, ServerUnderTest lost) {
        var key = Keys.unique();
        expectNamed(lost, Replicas.put(node, key, Values.small(), ack, from).expectError(504));
        expectNamed(lost, Replicas.get(node, key, ack, from).expectError(504));
        expectNamed(lost, Replicas.delete(node, key, ack, from).expectError(504));
    }

    private static void expectNamed(ServerUnderTest lost, Response response) {
        if (!Replicas.isNamed(lost, response)) {
            throw new Mismatch(
                    "a line that names " + lost.node().clusterUrl(),
                    new String(response.body(), UTF_8));
        }
    }

    private static void expectServed(ClusterUnderTest cluster, ServerUnderTest node, int ack) {
        var key = Keys.unique();
        var value = Values.small();
        var all = cluster.size();
        Replicas.get(node, key, ack, all).expectStatus(404);
        Replicas.put(node, key, value, ack, all).expectStatus(201);
        Replicas.get(node, key, ack, all).expectValue(value);
        Replicas.delete(node, key, ack, all).expectStatus(202);
        Replicas.get(node, key, ack, all).expectStatus(404);
    }

    /** With one copy per key, a node that is down does not affect the keys of other nodes. */
    @Test
    @Verifies(Promise.TOO_FEW_IS_504)
    default void request_ofOneCopy_dependsOnItsHolderAlone() {
        var cluster = freshCluster();
        var lost = cluster.node(cluster.size() - 1);
        var held = keyHeldBy(cluster, lost, true);
        var other = keyHeldBy(cluster, lost, false);
        lost.stop();
        var node = cluster.node(0);
        Replicas.get(node, held, 1, 1).expectError(504);
        Replicas.put(node, held, Values.small(), 1, 1).expectError(504);
        Replicas.put(node, other, Values.small(), 1, 1).expectStatus(201);
        Replicas.get(node, other, 1, 1).expectStatus(200);
    }

    private static String keyHeldBy(
            ClusterUnderTest cluster, ServerUnderTest holder, boolean isHolder) {
        while (true) {
            var key = Keys.unique();
            Replicas.put(cluster.node(0), key, Values.small(), 1, 1).expectStatus(201);
            if (cluster.holders(key).contains(holder) == isHolder) {
                return key;
            }
        }
    }

    @Test
    @Verifies(Promise.TOO_FEW_IS_504)
    default void request_withoutParameters_needsAMajority() {
        var cluster = freshCluster();
        var node = cluster.node(0);
        var key = Keys.unique();
        var value = Values.small();
        for (var up = cluster.size(); up >= Replicas.majority(cluster); up--) {
            node.put(key, value).expectStatus(201);
            node.get(key).expectValue(value);
            cluster.node(up - 1).stop();
        }
        node.put(key, Values.small()).expectError(504);
        node.get(key).expectError(504);
        node.delete(key).expectError(504);
    }

    @Test
    @Verifies(Promise.TOO_FEW_IS_504)
    @Needs(Ability.PAUSE)
    default void pause_ofOneNode_leavesTheOthersServing() {
        var cluster = freshCluster();
        var all = cluster.size();
        var silent = cluster.node(all - 1);
        silent.pause();
        expectServed(cluster, cluster.node(0), all - 1);
        expectTooFew(cluster.node(0), all, all, silent);
        expectServed(cluster, cluster.node(0), all - 1);
        silent.resume();
        Replicas.awaitServing(cluster);
        expectServed(cluster, silent, all);
    }
}
