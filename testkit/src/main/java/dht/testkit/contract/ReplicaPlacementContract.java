package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which nodes hold copies of a key. Each node's own range shows what it holds. */
public interface ReplicaPlacementContract extends ClusterContract {
    /** Two of three keys do not show a wrong order of three nodes, so there are many. */
    int KEYS = 40;

    @Test
    @Verifies(Promise.COPIES_ARE_EXACT)
    default void put_withAllAcks_hasCopiesAtOnce() {
        var cluster = cluster();
        var counts = new HashMap<String, Integer>();
        for (var from = 1; from <= cluster.size(); from++) {
            var key = Keys.unique();
            Replicas.put(cluster.node(0), key, Values.small(), from, from).expectStatus(201);
            Replicas.expectHolders(cluster, key, from);
            counts.put(key, from);
        }
        Replicas.expectStillHeld(cluster, counts);
    }

    /** The copies after the first {@code ack} are made too, and no copies besides. */
    @Test
    @Verifies(Promise.COPIES_ARE_EXACT)
    default void put_withFewerAcks_hasAllItsCopiesSoon() {
        var cluster = cluster();
        var counts = new HashMap<String, Integer>();
        for (var from = 1; from <= cluster.size(); from++) {
            for (var ack = 1; ack <= from; ack++) {
                var key = Keys.unique();
                Replicas.put(cluster.node(from - 1), key, Values.small(), ack, from)
                        .expectStatus(201);
                Replicas.awaitHolders(cluster, key, from);
                counts.put(key, from);
            }
        }
        Replicas.expectStillHeld(cluster, counts);
    }

    /** The same for deletions. */
    @Test
    @Verifies(Promise.COPIES_ARE_EXACT)
    default void delete_withFewerAcks_takesItFromEveryHolderSoon() {
        var cluster = cluster();
        for (var from = 1; from <= cluster.size(); from++) {
            for (var ack = 1; ack < from; ack++) {
                var key = Keys.unique();
                var node = cluster.node(from - 1);
                Replicas.put(node, key, Values.small(), from, from).expectStatus(201);
                Replicas.delete(node, key, ack, from).expectStatus(202);
                Replicas.awaitHolders(cluster, key, 0);
            }
        }
    }

    @Test
    @Verifies(Promise.COPIES_ARE_EXACT)
    default void put_withMoreCopies_keepsThoseThereWere() {
        var cluster = cluster();
        for (var i = 0; i < KEYS; i++) {
            var key = Keys.unique();
            var before = List.<ServerUnderTest>of();
            for (var from = 1; from <= cluster.size(); from++) {
                var node = cluster.node((i + from) % cluster.size());
                Replicas.put(node, key, Values.small(), from, from).expectStatus(201);
                var holders = Replicas.expectHolders(cluster, key, from);
                expectAmong(before, holders);
                before = holders;
            }
        }
    }

    private static void expectAmong(List<ServerUnderTest> before, List<ServerUnderTest> holders) {
        if (!holders.containsAll(before)) {
            throw new Mismatch(
                    "the holders of fewer copies among those of more", Replicas.names(holders));
        }
    }

    @Test
    @Verifies(Promise.COPIES_ARE_EXACT)
    default void put_throughAnyNode_hasTheSameHolders() {
        var cluster = cluster();
        for (var i = 0; i < KEYS; i++) {
            var from = 1 + i % cluster.size();
            var key = Keys.unique();
            for (var node : cluster.nodes()) {
                Replicas.put(node, key, Values.small(), from, from).expectStatus(201);
                Replicas.expectHolders(cluster, key, from);
            }
        }
    }

    @Test
    @Verifies(Promise.COPIES_ARE_EXACT)
    default void put_withOneCopy_isReadThroughEveryNode() {
        var cluster = cluster();
        for (var i = 0; i < KEYS; i++) {
            var key = Keys.unique();
            var value = Values.small();
            Replicas.put(cluster.node(i % cluster.size()), key, value, 1, 1).expectStatus(201);
            for (var node : cluster.nodes()) {
                Replicas.get(node, key, 1, 1).expectValue(value);
            }
        }
    }

    /** Without this, a few nodes would have all the load. */
    @Test
    @Verifies(Promise.COPIES_ARE_EXACT)
    default void put_ofManyKeysWithOneCopy_usesEveryNode() {
        var cluster = cluster();
        var seen = new HashSet<ServerUnderTest>();
        for (var i = 0; i < 20 * cluster.size() && seen.size() < cluster.size(); i++) {
            var key = Keys.unique();
            Replicas.put(cluster.node(0), key, Values.small(), 1, 1).expectStatus(201);
            seen.addAll(Replicas.expectHolders(cluster, key, 1));
        }
        if (seen.size() < cluster.size()) {
            throw new Mismatch(
                    "every node to hold some key",
                    "only these do: " + Replicas.names(List.copyOf(seen)));
        }
    }

    @Test
    @Verifies(Promise.COPIES_ARE_EXACT)
    default void delete_ofKey_takesItFromEveryHolder() {
        var cluster = cluster();
        var all = cluster.size();
        var key = Keys.unique();
        Replicas.put(cluster.node(0), key, Values.small(), all, all).expectStatus(201);
        Replicas.delete(cluster.node(all - 1), key, all, all).expectStatus(202);
        Replicas.expectHolders(cluster, key, 0);
    }
}
