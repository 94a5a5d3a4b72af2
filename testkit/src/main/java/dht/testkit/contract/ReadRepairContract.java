package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import org.junit.jupiter.api.Test;

/**
 * Read repair: a read writes the newest version to the replicas that answered with an older one, or
 * with none.
 */
public interface ReadRepairContract extends ClusterContract {
    @Test
    @Verifies(Promise.READS_REPAIR)
    default void get_ofKeyThatAReplicaLost_bringsItBack() {
        var cluster = freshCluster();
        var all = cluster.size();
        var lost = cluster.node(all - 1);
        for (var reader : cluster.nodes()) {
            var key = Keys.unique();
            var value = Values.small();
            Replicas.put(reader, key, value, all, all).expectStatus(201);
            lost.stop();
            lost.emptyDataDirectory();
            lost.start();
            Replicas.awaitServing(cluster);
            Replicas.awaitReading(cluster);
            Replicas.get(reader, key, all, all).expectValue(value);
            Healing.awaitCopy(lost, key, value);
            Healing.awaitSameStamps(cluster, key);
        }
    }

    @Test
    @Verifies(Promise.READS_REPAIR)
    default void get_ofKeyWhoseOverwriteAReplicaMissed_overwritesItThere() {
        var cluster = freshCluster();
        var all = cluster.size();
        var absent = cluster.node(1);
        var key = Keys.unique();
        var value = Values.small();
        Replicas.put(absent, key, Values.small(), all, all).expectStatus(201);
        absent.stop();
        Replicas.put(cluster.node(0), key, value, all - 1, all).expectStatus(201);
        absent.start();
        Replicas.awaitServing(cluster);
        Replicas.get(cluster.node(0), key, all, all).expectValue(value);
        Healing.awaitCopy(absent, key, value);
        Healing.awaitSameStamps(cluster, key);
    }

    @Test
    @Verifies(Promise.READS_REPAIR)
    default void get_ofKeyWhoseDeletionAReplicaMissed_deletesItThere() {
        var cluster = freshCluster();
        var all = cluster.size();
        var absent = cluster.node(1);
        var key = Keys.unique();
        Replicas.put(absent, key, Values.small(), all, all).expectStatus(201);
        absent.stop();
        Replicas.delete(cluster.node(0), key, all - 1, all).expectStatus(202);
        absent.start();
        Replicas.awaitServing(cluster);
        Replicas.get(cluster.node(0), key, all, all).expectStatus(404);
        Replicas.awaitHolders(cluster, key, 0);
        Healing.awaitSameStamps(cluster, key);
    }
}
