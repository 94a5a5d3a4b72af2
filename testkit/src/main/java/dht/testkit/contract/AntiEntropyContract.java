package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Nodes compare their entries, and bring each other the versions that they have missed, without a
 * client's request. The servers must keep no hints: otherwise hints may bring these versions
 * before.
 */
public interface AntiEntropyContract extends ClusterContract {
    int DIFFERENT = 30;

    @Test
    @Verifies(Promise.MISSED_ARRIVES)
    default void nodes_ofWhichOneMissedWritesAndDeletions_holdTheSameAfterItsReturn() {
        var cluster = freshCluster();
        var all = cluster.size();
        for (var absent : List.of(cluster.node(0), cluster.node(all - 1))) {
            var writer = cluster.others(absent).getFirst();
            var prefix = Keys.unique();
            var fresh = keys(prefix + "a");
            var overwritten = keys(prefix + "b");
            var deleted = keys(prefix + "c");
            overwritten.forEach(key -> put(writer, key, all, all));
            deleted.forEach(key -> put(writer, key, all, all));
            absent.stop();
            fresh.forEach(key -> put(writer, key, all - 1, all));
            overwritten.forEach(key -> put(writer, key, all - 1, all));
            deleted.forEach(key -> Replicas.delete(writer, key, all - 1, all).expectStatus(202));
            absent.start();
            Healing.awaitAlike(cluster, prefix, prefix + '~');
            var of = new ArrayList<>(fresh);
            of.addAll(overwritten);
            of.addAll(deleted);
            of.forEach(key -> Healing.awaitSameStamps(cluster, key));
        }
    }

    /**
     * Two nodes are up one after the other, each without the other one. So each has a version that
     * the other one lacks.
     */
    @Test
    @Verifies(Promise.MISSED_ARRIVES)
    default void nodes_thatMissedDifferentWrites_bringThemToEachOther() {
        var cluster = freshCluster();
        var all = cluster.size();
        var prefix = Keys.unique();
        var first = cluster.node(0);
        var last = cluster.node(all - 1);
        var both = keys(prefix + "c");
        last.stop();
        keys(prefix + "a").forEach(key -> put(first, key, all - 1, all));
        both.forEach(key -> put(first, key, all - 1, all));
        first.stop();
        last.start();
        Replicas.awaitServing(cluster.others(first), all - 1, all);
        keys(prefix + "b").forEach(key -> put(last, key, all - 1, all));
        both.forEach(key -> Replicas.delete(last, key, all - 1, all).expectStatus(202));
        first.start();
        Healing.awaitAlike(cluster, prefix, prefix + '~');
        both.forEach(key -> Replicas.expectHolders(cluster, key, 0));
    }

    /** A comparison of two nodes must not bring a key to a node that is not one of its replicas. */
    @Test
    @Verifies(Promise.COPIES_ARE_EXACT)
    default void keysOfSomeNodes_thatOneOfThemMissed_getAsManyCopiesAsTheyShould() {
        var cluster = freshCluster();
        var all = cluster.size();
        var few = all - 1;
        var prefix = Keys.unique();
        var keys = keys(prefix);
        var ofAll = keys(prefix + "x");
        var absent = cluster.node(1);
        absent.stop();
        keys.forEach(key -> put(cluster.node(0), key, few - 1, few));
        ofAll.forEach(key -> put(cluster.node(0), key, few, all));
        absent.start();
        ofAll.forEach(key -> Replicas.awaitHolders(cluster, key, all));
        keys.forEach(key -> Replicas.awaitHolders(cluster, key, few));
    }

    private static void put(ServerUnderTest node, String key, int ack, int from) {
        Replicas.put(node, key, Values.small(), ack, from).expectStatus(201);
    }

    private static List<String> keys(String prefix) {
        return IntStream.range(0, DIFFERENT).mapToObj(i -> prefix + "-" + i).toList();
    }
}
