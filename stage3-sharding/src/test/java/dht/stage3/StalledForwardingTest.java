package dht.stage3;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.node.DiskKind;
import dht.testkit.node.NodeFactory;
import dht.testkit.transcript.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Clients of one node hold the memory that is not reserved: some do not read large values of
 * another node, and some do not finish their uploads. Smaller requests that this node forwards are
 * served meanwhile.
 */
class StalledForwardingTest implements ClusterContract {
    private static final int LARGE_BYTES = 1 << 20;

    /**
     * The memory of connections, and of large answers from other nodes. There is a third of it more
     * for smaller answers: without this reserve, four large ones would leave nothing.
     */
    private static final String MEMORY = "--connection-memory-max=3m";

    private static final int READERS = 4;
    private static final int UPLOADS = 8;

    /** Together more than a quarter of the memory. */
    private static final int MIDDLING_UPLOADS = 100;

    /** Hardly more than a request that may use the reserve of connections. */
    private static final int MIDDLING_BYTES = 9_000;

    private static final int SMALL_UPLOADS = 20;
    private static final int SMALL_BYTES = 2_000;

    /** A value that is read within the reserve. Smaller ones need no memory of this kind. */
    private static final int READ_BYTES = 70 << 10;

    /** A value that is written within the reserve. */
    private static final int WRITTEN_BYTES = 7_000;

    private static final int ROUNDS = 20;

    private final byte[] large = Values.ofSize(LARGE_BYTES);
    private final byte[] read = Values.ofSize(READ_BYTES);
    private ServerUnderTest entry;
    private String largeKey;
    private String readKey;

    /** Clients that stall are not ended for that: the reserves alone must do. */
    @Override
    public NodeFactory servers() {
        return Stage3Nodes.inProcess(MEMORY, "--data-rate-window=60s");
    }

    private void begin(ClusterUnderTest cluster) {
        entry = cluster.node(0);
        largeKey = cluster.keyOwnedBy(cluster.node(1), large);
        readKey = cluster.keyOwnedBy(cluster.node(1), read);
    }

    @Test
    @Verifies(Promise.CLIENTS_ARE_APART)
    void readers_ofAnotherNodesLargeValues_leaveRoomForOthers() {
        begin(freshCluster());
        readers();
        uploads(UPLOADS, READ_BYTES);
        entry.get(largeKey).expectStatus(503);
        expectForwarded();
    }

    @Test
    @Verifies(Promise.CLIENTS_ARE_APART)
    void uploads_thatStall_leaveRoomForOthers() {
        begin(freshCluster());
        uploads(UPLOADS, 280 << 10);
        uploads(MIDDLING_UPLOADS, MIDDLING_BYTES);
        Deadline.in(entry.patience())
                .await(
                        "the uploads to hold the memory",
                        () -> entry.put(Keys.unique(), large).status() == 503);
        uploads(SMALL_UPLOADS, SMALL_BYTES);
        expectForwarded();
    }

    @Test
    @Verifies(Promise.CLIENTS_ARE_APART)
    void clients_thatAreTooSlow_areEnded() {
        begin(
                freshCluster(
                        Stage3Nodes.inProcess(MEMORY, "--data-rate-window=1s"), DiskKind.SHARED));
        readers();
        var uploads = uploads(2, READ_BYTES);
        entry.get(largeKey).expectStatus(503);
        uploads.forEach(upload -> upload.receive().expectError(408));
        uploads.forEach(Connection::expectClosed);
        Deadline.in(entry.patience())
                .await(
                        "room for a large value",
                        () -> entry.get(largeKey).expectStatus(200, 503).status() == 200);
    }

    /** As many as find memory get the beginning of the value. The others are refused. */
    private void readers() {
        for (var i = 0; i < READERS; i++) {
            entry.connectSmall().send(Request.get(Target.entity(largeKey))).awaitAnswer();
        }
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

    private void expectForwarded() {
        IntStream.range(0, ROUNDS)
                .forEach(
                        _ -> {
                            entry.get(readKey).expectValue(read);
                            var key = Keys.unique();
                            var value = Values.ofSize(WRITTEN_BYTES);
                            entry.put(key, value).expectStatus(201);
                            entry.get(key).expectValue(value);
                        });
    }
}
