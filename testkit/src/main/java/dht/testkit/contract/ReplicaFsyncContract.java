package dht.testkit.contract;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;

/** For nodes with {@code --durability fsync}: an acknowledged copy is on the disk of its node. */
public interface ReplicaFsyncContract extends ClusterContract {
    String SYNCS = "storage_syncs_total";

    @Test
    @Verifies(Promise.ACKNOWLEDGED_SURVIVES)
    default void put_acknowledgedByAllReplicas_isSyncedByEach() {
        ClusterUnderTest cluster = cluster();
        List<Double> before = syncs(cluster);
        String everyReplica = "&replicas=%d/%1$d".formatted(cluster.size());
        String target = Target.entity(Keys.unique()) + everyReplica;
        cluster.node(0).ask(Request.put(target, Values.small())).expectStatus(201);
        List<Double> after = syncs(cluster);
        for (int i = 0; i < cluster.size(); i++) {
            if (after.get(i) <= before.get(i)) {
                throw new Mismatch(
                        "more than %s syncs of %s".formatted(before.get(i), cluster.node(i).name()),
                        after.get(i) + " after an acknowledged PUT with " + everyReplica);
            }
        }
    }

    private static List<Double> syncs(ClusterUnderTest cluster) {
        return cluster.nodes().stream().map(ReplicaFsyncContract::syncs).toList();
    }

    private static double syncs(ServerUnderTest node) {
        return Metrics.sum(node, SYNCS);
    }
}
