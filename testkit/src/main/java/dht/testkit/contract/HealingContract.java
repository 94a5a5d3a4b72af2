package dht.testkit.contract;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.Deadline;
import dht.testkit.junit.Needs;
import dht.testkit.junit.Verifies;
import dht.testkit.node.Ability;
import dht.testkit.transcript.Promise;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The repair of a node that missed writes, without any request of a client. It makes the promise of
 * a quorum hold also after the next fault.
 */
public interface HealingContract extends ReadRepairContract, HintedStopContract {
    int MISSED = 20;

    @Test
    @Verifies(Promise.MISSED_ARRIVES)
    default void node_thatMissedWritesAndDeletions_getsThemUnasked() {
        var cluster = freshCluster();
        var all = cluster.size();
        for (var absent : cluster.nodes()) {
            var writer = cluster.others(absent).getFirst();
            var prefix = Keys.unique();
            var kept = keys(prefix + "a", MISSED);
            var gone = keys(prefix + "b", MISSED);
            kept.forEach(
                    key -> Replicas.put(writer, key, Values.small(), all, all).expectStatus(201));
            gone.forEach(
                    key -> Replicas.put(writer, key, Values.small(), all, all).expectStatus(201));
            absent.stop();
            kept.forEach(
                    key ->
                            Replicas.put(writer, key, Values.small(), all - 1, all)
                                    .expectStatus(201));
            gone.forEach(key -> Replicas.delete(writer, key, all - 1, all).expectStatus(202));
            absent.start();
            Healing.awaitAlike(cluster, prefix, prefix + '~');
        }
    }

    /**
     * A quorum has acknowledged the writes. The node that missed them gets them back before another
     * disk loses its copies. So the reads, with all nodes up, must find them.
     */
    @Test
    @Verifies(Promise.MISSED_ARRIVES)
    default void get_ofMissedWritesAfterAnotherDiskWasEmptied_findsThem() {
        var cluster = freshCluster();
        var keys = keys(Keys.unique(), MISSED);
        var value = Values.small();
        var absent = cluster.node(cluster.size() - 1);
        var all = cluster.size();
        absent.stop();
        keys.forEach(
                key -> Replicas.put(cluster.node(0), key, value, all - 1, all).expectStatus(201));
        absent.start();
        keys.forEach(key -> Healing.awaitCopy(absent, key, value));
        emptyAnother(cluster);
        for (var node : cluster.nodes()) {
            keys.forEach(key -> node.get(key).expectValue(value));
        }
    }

    @Test
    @Verifies(Promise.MISSED_ARRIVES)
    default void get_ofMissedDeletionsAfterAnotherDiskWasEmptied_findsNothing() {
        var cluster = freshCluster();
        var keys = keys(Keys.unique(), MISSED);
        var absent = cluster.node(cluster.size() - 1);
        var all = cluster.size();
        keys.forEach(
                key ->
                        Replicas.put(cluster.node(0), key, Values.small(), all, all)
                                .expectStatus(201));
        absent.stop();
        keys.forEach(key -> Replicas.delete(cluster.node(0), key, all - 1, all).expectStatus(202));
        absent.start();
        keys.forEach(key -> Replicas.awaitHolders(cluster, key, 0));
        emptyAnother(cluster);
        for (var node : cluster.nodes()) {
            keys.forEach(key -> node.get(key).expectStatus(404));
        }
    }

    private static void emptyAnother(ClusterUnderTest cluster) {
        var emptied = cluster.node(1);
        emptied.stop();
        emptied.emptyDataDirectory();
        emptied.start();
        Replicas.awaitServing(cluster);
    }

    /** A repair may arrive late. It must not replace a newer write. */
    @Test
    @Verifies(Promise.MISSED_ARRIVES)
    default void missedWrite_overwrittenBeforeItArrives_staysOverwritten() {
        var cluster = freshCluster();
        var all = cluster.size();
        var writer = cluster.node(0);
        var absent = cluster.node(all - 1);
        var prefix = Keys.unique();
        var keys = keys(prefix, MISSED);
        var newer = Values.small();
        absent.stop();
        keys.forEach(
                key -> Replicas.put(writer, key, Values.small(), all - 1, all).expectStatus(201));
        writer.stop();
        absent.start();
        keys.forEach(key -> awaitPut(absent, key, newer, all - 1, all));
        writer.start();
        Healing.awaitAlike(cluster, prefix, prefix + '~');
        for (var node : cluster.nodes()) {
            keys.forEach(key -> node.get(key).expectValue(newer));
        }
    }

    @Test
    @Verifies(Promise.MISSED_ARRIVES)
    default void coordinator_stoppedBeforeItDelivers_deliversAfterItsStart() {
        var cluster = freshCluster();
        expectDelivered(cluster, cluster.size() - 1, 201, ServerUnderTest::stop);
    }

    /**
     * A success is answered before the coordinator knows that a replica has missed the write, and
     * the kill may come in between. The answer 504 says that it knows.
     */
    @Test
    @Verifies(Promise.MISSED_ARRIVES)
    @Needs(Ability.KILL)
    default void coordinator_killedBeforeItDelivers_deliversAfterItsStart() {
        var cluster = freshCluster();
        expectDelivered(cluster, cluster.size(), 504, ServerUnderTest::kill);
    }

    /**
     * Only the coordinator knows which write is missing: no client reads, and no other node has a
     * hint.
     */
    private static void expectDelivered(
            ClusterUnderTest cluster, int ack, int status, Consumer<ServerUnderTest> end) {
        var all = cluster.size();
        var coordinator = cluster.node(0);
        var absent = cluster.node(all - 1);
        var keys = keys(Keys.unique(), MISSED);
        var value = Values.small();
        absent.stop();
        keys.forEach(key -> Replicas.put(coordinator, key, value, ack, all).expectStatus(status));
        end.accept(coordinator);
        absent.start();
        coordinator.start();
        keys.forEach(key -> Healing.awaitCopy(absent, key, value));
    }

    /**
     * Puts until it succeeds: a node that has just started may need a moment to reach the others.
     */
    private static void awaitPut(
            ServerUnderTest node, String key, byte[] value, int ack, int from) {
        Deadline.in(node.patience())
                .await(
                        node.name() + " to reach the others",
                        () -> Replicas.put(node, key, value, ack, from).status() == 201);
    }

    private static List<String> keys(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + "-" + i).toList();
    }
}
