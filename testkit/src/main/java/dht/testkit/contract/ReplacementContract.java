package dht.testkit.contract;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.Deadline;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Needs;
import dht.testkit.junit.Verifies;
import dht.testkit.node.Ability;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A node whose data is lost: it accepts writes, but answers no reads until it has received its
 * entries from the other nodes. Needs three nodes.
 */
public interface ReplacementContract extends ClusterContract {
    int LOST = 20;

    /** The other node of the write's quorum is down, so only the emptied node had the write. */
    @Test
    @Verifies(Promise.EMPTIED_IS_NO_VOTER)
    default void get_whileAnEmptiedNodeLacksTheWrite_isNot404() {
        var cluster = freshCluster();
        var coordinator = cluster.node(0);
        var emptied = cluster.node(1);
        var absent = cluster.node(2);
        var value = Values.small();
        var keys = keys();
        absent.stop();
        keys.forEach(key -> Replicas.put(coordinator, key, value, 2, 3).expectStatus(201));
        coordinator.stop();
        absent.start();
        empty(emptied);
        awaitPut(emptied);
        for (var node : List.of(emptied, absent)) {
            keys.forEach(key -> Replicas.get(node, key, 2, 3).expectStatus(504));
        }
        coordinator.start();
        awaitFound(cluster, keys, value);
    }

    /** Each node has its entries again before the next one is emptied. */
    @Test
    @Verifies(Promise.EMPTIED_IS_REBUILT)
    default void nodes_emptiedOneAfterTheOther_haveAllEntriesAndDeletions() {
        var cluster = freshCluster();
        var value = Values.small();
        var keys = keys();
        var gone = keys();
        var of = new ArrayList<>(keys);
        of.addAll(gone);
        of.forEach(key -> Replicas.put(cluster.node(0), key, value, 3, 3).expectStatus(201));
        gone.forEach(key -> Replicas.delete(cluster.node(0), key, 3, 3).expectStatus(202));
        for (var emptied : cluster.nodes()) {
            empty(emptied);
            keys.forEach(key -> Healing.awaitCopy(emptied, key, value));
            awaitFound(cluster, keys, value);
            of.forEach(key -> Healing.awaitSameStamps(cluster, key));
        }
    }

    /** The other nodes are a quorum during the whole test. */
    @Test
    @Verifies(Promise.EMPTIED_IS_REBUILT)
    default void node_emptiedWhileClientsWriteAndRead_failsNoRequestAndGetsEverything() {
        var cluster = freshCluster();
        var client = cluster.node(0);
        var emptied = cluster.node(2);
        var value = Values.small();
        var keys = new ArrayList<>(keys());
        keys.forEach(key -> client.put(key, value).expectStatus(201));
        empty(emptied);
        Deadline.in(client.longPatience())
                .await(
                        "the emptied node to hold the entries",
                        () -> {
                            var key = Keys.unique();
                            client.put(key, value).expectStatus(201);
                            client.get(key).expectValue(value);
                            client.get(keys.getFirst()).expectValue(value);
                            keys.add(key);
                            return emptied.range(keys.getFirst(), keys.getFirst() + '\0')
                                            .body()
                                            .length
                                    > 0;
                        });
        keys.forEach(key -> Healing.awaitCopy(emptied, key, value));
        awaitFound(cluster, keys.subList(0, LOST), value);
    }

    @Test
    @Verifies(Promise.EMPTIED_IS_NO_VOTER)
    @Needs(Ability.KILL)
    default void get_whileAnEmptiedNodeIsKilledAgainAndAgain_isNot404() {
        var cluster = freshCluster();
        var emptied = cluster.node(1);
        var value = Values.small();
        var keys = keys();
        keys.forEach(key -> Replicas.put(cluster.node(0), key, value, 3, 3).expectStatus(201));
        emptied.stop();
        emptied.emptyDataDirectory();
        for (int i = 0; i < 3; i++) {
            emptied.start();
            keys.forEach(key -> expectNot404(Replicas.get(emptied, key, 1, 3).status()));
            emptied.kill();
        }
        emptied.start();
        awaitFound(cluster, keys, value);
    }

    /** A node that has its data answers reads at once, even if it cannot reach other nodes. */
    @Test
    @Verifies(Promise.EMPTIED_IS_NO_VOTER)
    default void get_fromANodeThatRestartsAlone_findsItsCopies() {
        var cluster = freshCluster();
        var node = cluster.node(1);
        var value = Values.small();
        var keys = keys();
        keys.forEach(key -> Replicas.put(node, key, value, 3, 3).expectStatus(201));
        cluster.nodes().forEach(ServerUnderTest::stop);
        node.start();
        keys.forEach(key -> Replicas.get(node, key, 1, 3).expectValue(value));
    }

    private static void empty(ServerUnderTest node) {
        node.stop();
        node.emptyDataDirectory();
        node.start();
    }

    private static void awaitPut(ServerUnderTest node) {
        Deadline.in(node.patience())
                .await(
                        node.name() + " to take writes",
                        () ->
                                Replicas.put(node, Keys.unique(), Values.small(), 2, 3).status()
                                        == 201);
    }

    private static void awaitFound(ClusterUnderTest cluster, List<String> keys, byte[] value) {
        for (var node : cluster.nodes()) {
            Deadline.in(node.longPatience())
                    .await(
                            "all nodes to answer reads again",
                            () ->
                                    expectNot404(Replicas.get(node, keys.getFirst(), 3, 3).status())
                                            == 200);
            keys.forEach(key -> Replicas.get(node, key, 3, 3).expectValue(value));
        }
    }

    private static int expectNot404(int status) {
        if (status == 404) {
            throw new Mismatch("an acknowledged write to be found, or 504", "status 404");
        }
        return status;
    }

    private static List<String> keys() {
        var prefix = Keys.unique();
        return IntStream.range(0, LOST).mapToObj(i -> prefix + "-" + i).toList();
    }
}
