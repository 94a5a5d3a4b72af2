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
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Nodes that are down: which requests succeed without them, and how reads find the writes that
 * these nodes missed.
 */
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
    @Verifies(Promise.READS_MEET_WRITES)
    default void get_afterNodeMissedAWrite_returnsTheNewestThroughIt() {
        var cluster = freshCluster();
        var all = cluster.size();
        for (var absent : cluster.nodes()) {
            var key = Keys.unique();
            var value = Values.small();
            Replicas.put(cluster.node(0), key, Values.small(), all, all).expectStatus(201);
            whileDown(
                    cluster,
                    absent,
                    node -> Replicas.put(node, key, value, all - 1, all).expectStatus(201));
            for (var node : cluster.nodes()) {
                Replicas.get(node, key, 2, all).expectValue(value);
            }
        }
    }

    @Test
    @Verifies(Promise.DELETED_STAYS_DELETED)
    default void get_afterNodeMissedADelete_returns404ThroughIt() {
        var cluster = freshCluster();
        var all = cluster.size();
        for (var absent : cluster.nodes()) {
            var key = Keys.unique();
            Replicas.put(cluster.node(0), key, Values.small(), all, all).expectStatus(201);
            whileDown(
                    cluster,
                    absent,
                    node -> Replicas.delete(node, key, all - 1, all).expectStatus(202));
            for (var node : cluster.nodes()) {
                Replicas.get(node, key, 2, all).expectStatus(404);
            }
        }
    }

    @Test
    @Verifies(Promise.READS_MEET_WRITES)
    default void put_afterNodeMissedADelete_isReadThroughEveryNode() {
        var cluster = freshCluster();
        var all = cluster.size();
        var absent = cluster.node(0);
        var key = Keys.unique();
        var value = Values.small();
        Replicas.put(absent, key, Values.small(), all, all).expectStatus(201);
        whileDown(
                cluster,
                absent,
                node -> Replicas.delete(node, key, all - 1, all).expectStatus(202));
        Replicas.put(absent, key, value, all, all).expectStatus(201);
        for (var node : cluster.nodes()) {
            Replicas.get(node, key, 1, all).expectValue(value);
        }
    }

    /** The newest write may be on one node only. A read that needs all nodes finds it. */
    @Test
    @Verifies(Promise.READS_MEET_WRITES)
    default void get_ofWriteThatOneNodeHolds_returnsItWithAllAcks() {
        var cluster = freshCluster();
        var all = cluster.size();
        var writer = cluster.node(0);
        var key = Keys.unique();
        var value = Values.small();
        Replicas.put(writer, key, Values.small(), all, all).expectStatus(201);
        cluster.others(writer).forEach(ServerUnderTest::stop);
        Replicas.put(writer, key, value, 1, all).expectStatus(201);
        cluster.others(writer).forEach(ServerUnderTest::start);
        Replicas.awaitServing(cluster);
        for (var node : cluster.nodes()) {
            Replicas.get(node, key, all, all).expectValue(value);
        }
    }

    @Test
    @Verifies(Promise.RESTART_KEEPS_DATA)
    default void restart_ofEveryNode_keepsValuesAndDeletions() {
        var cluster = freshCluster();
        var all = cluster.size();
        var kept = Keys.unique();
        var gone = Keys.unique();
        var value = Values.small();
        Replicas.put(cluster.node(0), kept, value, all, all).expectStatus(201);
        Replicas.put(cluster.node(0), gone, value, all, all).expectStatus(201);
        Replicas.delete(cluster.node(0), gone, all, all).expectStatus(202);
        cluster.nodes().forEach(ServerUnderTest::restart);
        Replicas.awaitServing(cluster);
        for (var node : cluster.nodes()) {
            node.get(kept).expectValue(value);
            node.get(gone).expectStatus(404);
            var newer = Values.small();
            node.put(kept, newer).expectStatus(201);
            Replicas.get(node, kept, all, all).expectValue(newer);
            value = newer;
        }
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

    /** Does something through a node that is up while another node is down. */
    private static void whileDown(
            ClusterUnderTest cluster, ServerUnderTest absent, Consumer<ServerUnderTest> write) {
        absent.stop();
        write.accept(cluster.others(absent).getFirst());
        absent.start();
        Replicas.awaitServing(cluster);
    }
}
