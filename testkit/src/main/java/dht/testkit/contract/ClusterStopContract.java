package dht.testkit.contract;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.NoAnswer;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.ClusterContract;
import dht.testkit.junit.Verifies;
import dht.testkit.node.OpenSockets;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * The stop of all nodes of a cluster while clients write: no process, thread or connection is left.
 */
public interface ClusterStopContract extends ClusterContract {
    int CLIENTS_PER_NODE = 2;
    int WRITES_BEFORE_STOP = 200;

    @Test
    @Verifies(Promise.STOP_IS_FINAL)
    default void stop_ofAllNodesUnderLoad_leavesNothingBehind() {
        var cluster = freshCluster();
        Replicas.awaitServing(cluster);
        var patience = cluster.node(0).longPatience();
        var left = new CountDownLatch(WRITES_BEFORE_STOP);
        try (var clients =
                ClientThreads.start(
                        CLIENTS_PER_NODE * cluster.size(),
                        i -> writeUntilGone(cluster.node(i % cluster.size()), left))) {
            var expected = "%d writes".formatted(WRITES_BEFORE_STOP);
            clients.await(expected, patience, () -> left.getCount() == 0);
            cluster.nodes().forEach(ServerUnderTest::requestStop);
            cluster.nodes().forEach(ServerUnderTest::awaitStop);
            clients.join(patience);
        }
        cluster.nodes().forEach(ClusterStopContract::expectNothingLeft);
        expectNoSockets(cluster);
    }

    private static void writeUntilGone(ServerUnderTest node, CountDownLatch left) {
        try (var connection = node.connect()) {
            while (true) {
                var put = Request.put(Target.entity(Keys.unique()), Values.small());
                connection.send(put).receive().expectStatus(201, 503, 504);
                left.countDown();
            }
        } catch (NoAnswer none) {
            if (!none.isGone()) {
                throw none;
            }
        }
    }

    private static void expectNothingLeft(ServerUnderTest server) {
        var node = server.node();
        if (!Deadline.in(server.patience()).reached(() -> node.leftBehind().isEmpty())) {
            throw new Mismatch(
                    "nothing of %s is left behind by a stop".formatted(server.name()),
                    String.join(", ", node.leftBehind()));
        }
    }

    private static void expectNoSockets(ClusterUnderTest cluster) {
        var ports = cluster.nodes().stream().map(node -> node.node().spec().port()).toList();
        var patience = Deadline.in(cluster.node(0).patience());
        if (!patience.reached(() -> OpenSockets.establishedAt(ports).isEmpty())) {
            throw new Mismatch(
                    "no connection is left when both its ends have stopped",
                    String.join(", ", OpenSockets.establishedAt(ports)));
        }
    }
}
