package dht.testkit.contract;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Nodes that were down and have started again: they keep what they had, and reads find the writes
 * that these nodes missed.
 */
public interface NodeReturnContract extends ClusterContract {
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

    /** Does something through a node that is up while another node is down. */
    private static void whileDown(
            ClusterUnderTest cluster, ServerUnderTest absent, Consumer<ServerUnderTest> write) {
        absent.stop();
        write.accept(cluster.others(absent).getFirst());
        absent.start();
        Replicas.awaitServing(cluster);
    }
}
