package dht.testkit.contract;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.node.DiskKind;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Clients of one node hold the memory that is not reserved: some do not read large values of
 * another node, and some do not finish their uploads. Smaller requests that this node forwards are
 * served meanwhile. All keys have one copy.
 */
public interface StalledForwardingContract extends ClusterContract {
    /**
     * The memory of connections, and of large answers from other nodes. There is a third of it more
     * for smaller answers: without this reserve, four large ones would leave nothing.
     */
    String MEMORY = "--connection-memory-max=3m";

    /** Nodes with these options. */
    NodeFactory nodes(String... options);

    /** Clients that stall are not ended for that: the reserves alone must do. */
    @Override
    default NodeFactory servers() {
        return nodes(MEMORY, "--data-rate-window=60s");
    }

    /** A fresh cluster with two keys that the second node owns. Clients ask the first node. */
    final class Stall {
        private static final int READERS = 4;
        private static final int LARGE_BYTES = 1 << 20;

        /** A value that is read within the reserve. Smaller ones need no memory of this kind. */
        private static final int READ_BYTES = 70 << 10;

        /** A value that is written within the reserve. */
        private static final int WRITTEN_BYTES = 7_000;

        private static final int ROUNDS = 20;

        private final byte[] large = Values.ofSize(LARGE_BYTES);
        private final byte[] read = Values.ofSize(READ_BYTES);
        private final ServerUnderTest entry;
        private final String largeKey;
        private final String readKey;

        private Stall(ClusterUnderTest cluster) {
            Replicas.awaitServing(cluster);
            Replicas.awaitReading(cluster);
            entry = cluster.node(0);
            largeKey = keyOf(cluster, large);
            readKey = keyOf(cluster, read);
        }

        private static String keyOf(ClusterUnderTest cluster, byte[] value) {
            return cluster.keyOwnedBy(cluster.node(1), key -> Request.put(target(key), value));
        }

        private static String target(String key) {
            return Target.entity(key, Replicas.of(1, 1));
        }

        /** As many as find memory get the beginning of the value. The others are refused. */
        private void readers() {
            StalledClients.readers(entry, READERS, Request.get(target(largeKey)));
        }

        /** All of each body is sent but its last byte. */
        private List<Connection> uploads(int count, int bytes) {
            var uploads = new ArrayList<Connection>();
            for (var i = 0; i < count; i++) {
                var put = Request.put(Target.entity(Keys.unique()), new byte[bytes]);
                uploads.add(entry.connect().sendHead(put).sendBody(new byte[bytes - 1]));
            }
            return uploads;
        }

        private Response getLarge() {
            return Replicas.get(entry, largeKey, 1, 1);
        }

        /** A replica that could not be read makes it a 504. */
        private void expectLargeRefused() {
            getLarge().expectStatus(503, 504);
        }

        private void expectForwarded() {
            for (var i = 0; i < ROUNDS; i++) {
                Replicas.get(entry, readKey, 1, 1).expectValue(read);
                var key = Keys.unique();
                var value = Values.ofSize(WRITTEN_BYTES);
                Replicas.put(entry, key, value, 1, 1).expectStatus(201);
                Replicas.get(entry, key, 1, 1).expectValue(value);
            }
        }
    }

    @Test
    @Verifies(Promise.CLIENTS_ARE_APART)
    default void readers_ofAnotherNodesLargeValues_leaveRoomForOthers() {
        var stall = new Stall(freshCluster());
        stall.readers();
        stall.uploads(8, Stall.READ_BYTES);
        stall.expectLargeRefused();
        stall.expectForwarded();
    }

    @Test
    @Verifies(Promise.CLIENTS_ARE_APART)
    default void uploads_thatStall_leaveRoomForOthers() {
        var stall = new Stall(freshCluster());
        stall.uploads(8, 280 << 10);
        // Hardly more than requests that may use the reserve. Together they would fill it.
        stall.uploads(100, 9_000);
        Deadline.in(stall.entry.patience())
                .await(
                        "the uploads to hold the memory",
                        () -> stall.entry.put(Keys.unique(), stall.large).status() == 503);
        stall.uploads(20, 2_000);
        stall.expectForwarded();
    }

    @Test
    @Verifies(Promise.CLIENTS_ARE_APART)
    default void clients_thatAreTooSlow_areEnded() {
        var nodes = nodes(MEMORY, "--data-rate-window=3s");
        var stall = new Stall(freshCluster(nodes, DiskKind.SHARED));
        stall.readers();
        var uploads = stall.uploads(2, Stall.READ_BYTES);
        stall.expectLargeRefused();
        uploads.forEach(upload -> upload.receive().expectError(408));
        uploads.forEach(Connection::expectClosed);
        Deadline.in(stall.entry.patience())
                .await(
                        "room for a large value",
                        () -> stall.getLarge().expectStatus(200, 503, 504).status() == 200);
    }
}
