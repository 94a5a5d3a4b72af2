package dht.stage5;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.contract.ClusterStopContract;
import dht.testkit.contract.EntityContract;
import dht.testkit.contract.ExpectContract;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.Verifies;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Three nodes in the JVM of the test, whose writes wait for a sync. The thread that syncs counts
 * the own copy, and may be the one that answers the client.
 *
 * <p>Reads are atomic: while a write waits for some syncs, a regular read may return an older
 * version than the read before it, and {@link EntityContract} allows that to no reader.
 */
class Stage5FsyncTest implements EntityContract, ExpectContract, ClusterStopContract {
    @Override
    public NodeFactory servers() {
        return Stage5Nodes.inProcess("--durability=fsync", "--reads=atomic");
    }

    @Test
    @Verifies(Promise.ACKNOWLEDGED_SURVIVES)
    void put_acknowledgedByAllReplicas_isSyncedByEach() {
        ClusterUnderTest cluster = cluster();
        List<Long> before = syncs(cluster);
        String target = Target.entity(Keys.unique()) + "&replicas=3/3";
        cluster.node(0).ask(Request.put(target, Values.small())).expectStatus(201);
        List<Long> after = syncs(cluster);
        for (int i = 0; i < cluster.size(); i++) {
            assertThat(after.get(i)).as(cluster.node(i).name()).isGreaterThan(before.get(i));
        }
    }

    private static List<Long> syncs(ClusterUnderTest cluster) {
        return cluster.nodes().stream().map(Stage5FsyncTest::syncs).toList();
    }

    private static long syncs(ServerUnderTest node) {
        byte[] metrics = node.ask(Request.get(Target.METRICS)).expectStatus(200).body();
        return new String(metrics, UTF_8)
                .lines()
                .filter(line -> line.startsWith("storage_syncs_total "))
                .mapToLong(line -> (long) Double.parseDouble(line.split(" ")[1]))
                .sum();
    }
}
