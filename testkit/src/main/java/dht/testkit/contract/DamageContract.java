package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A node whose tables are damaged on the disk gets the lost versions back from the other nodes.
 * Needs three nodes with the project's table format. They must scrub often, and must not compare
 * their entries: otherwise a comparison may bring the versions.
 */
public interface DamageContract extends ClusterContract {
    int KEYS = 200;

    /** How long a test watches that a node does not mend itself wrongly. */
    Duration TRIES = Duration.ofSeconds(2);

    @Test
    @Verifies(Promise.ONE_FAULT_IS_SURVIVED)
    default void node_oneBlockDamaged_servesAllKeysAndMendsItself() {
        var cluster = freshCluster();
        var damaged = cluster.node(1);
        var prefix = Keys.unique();
        var keys = keys(prefix);
        var value = Values.small();
        keys.forEach(key -> Replicas.put(cluster.node(0), key, value, 3, 3).expectStatus(201));
        damaged.stop();
        var table = DamagedTables.of(damaged).getLast();
        DamagedTables.damageOneBlock(table);
        damaged.start();
        for (var node : List.of(damaged, cluster.node(0))) {
            keys.forEach(key -> Replicas.get(node, key, 2, 3).expectValue(value));
        }
        DamagedTables.awaitReplaced(damaged, table);
        Healing.awaitAlike(cluster, prefix, prefix + '~');
        keys.forEach(key -> Replicas.get(damaged, key, 1, 3).expectValue(value));
    }

    /** Without the tombstones of the damaged table, an older table would bring the keys back. */
    @Test
    @Verifies(Promise.DELETED_STAYS_DELETED)
    default void node_tombstonesDamaged_doesNotBringTheKeysBack() {
        var cluster = freshCluster();
        var damaged = cluster.node(2);
        var prefix = Keys.unique();
        var keys = keys(prefix);
        var value = Values.small();
        keys.forEach(key -> Replicas.put(cluster.node(0), key, value, 3, 3).expectStatus(201));
        damaged.stop();
        damaged.start();
        Replicas.awaitServing(cluster);
        var gone = keys.subList(0, KEYS / 4);
        gone.forEach(key -> Replicas.delete(cluster.node(0), key, 3, 3).expectStatus(202));
        damaged.stop();
        var table = DamagedTables.of(damaged).getLast();
        DamagedTables.damageAllBlocks(table);
        damaged.start();
        gone.forEach(key -> expectNotFound(damaged, key));
        DamagedTables.awaitReplaced(damaged, table);
        Replicas.awaitReading(cluster);
        gone.forEach(key -> Replicas.get(damaged, key, 1, 3).expectStatus(404));
        gone.forEach(key -> Healing.awaitSameStamps(cluster, key));
        Healing.awaitAlike(cluster, prefix, prefix + '~');
    }

    /** The only other node that has the writes is down, so what is lost is not known. */
    @Test
    @Verifies(Promise.READS_MEET_WRITES)
    default void get_whileTheNodeThatHasTheLostVersionsIsDown_isNot404() {
        var cluster = freshCluster();
        var behind = cluster.node(0);
        var holder = cluster.node(1);
        var damaged = cluster.node(2);
        var keys = keys(Keys.unique());
        var value = Values.small();
        behind.stop();
        keys.forEach(key -> Replicas.put(holder, key, value, 2, 3).expectStatus(201));
        damaged.stop();
        var table = DamagedTables.of(damaged).getLast();
        DamagedTables.damageAllBlocks(table);
        holder.stop();
        behind.start();
        damaged.start();
        var endNanos = System.nanoTime() + TRIES.toNanos(); // It looks for damage twice a second.
        while (System.nanoTime() < endNanos) {
            keys.forEach(key -> Replicas.get(damaged, key, 2, 3).expectStatus(504));
        }
        holder.start();
        DamagedTables.awaitReplaced(damaged, table);
        Replicas.awaitReading(cluster);
        keys.forEach(key -> Replicas.get(damaged, key, 1, 3).expectValue(value));
    }

    private static void expectNotFound(ServerUnderTest node, String key) {
        int status = Replicas.get(node, key, 2, 3).status();
        if (status != 404) {
            throw new Mismatch("a deleted key not to come back: 404", "status " + status);
        }
    }

    private static List<String> keys(String prefix) {
        return IntStream.range(0, KEYS).mapToObj(i -> prefix + "-" + (1000 + i)).toList();
    }
}
