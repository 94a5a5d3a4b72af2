package dht.testkit.junit;

import dht.testkit.node.ClusterHome;
import dht.testkit.node.ClusterHome.ClusterList;
import dht.testkit.node.NodeFactory;
import dht.testkit.node.StartFailure;
import dht.testkit.transcript.Mismatch;
import java.util.stream.Collectors;
import org.opentest4j.TestAbortedException;

/**
 * The server or cluster that the tests of a class share. The first test starts it. If a node ends
 * unexpectedly, one test fails with a message, and the next test starts a new cluster. After a
 * failed start, no further test starts it. Threads may share it.
 */
final class SharedCluster implements AutoCloseable {
    // Guarded by this; null until started.
    private ClusterHome home;
    private StartFailure failure;

    /**
     * The running nodes, which are started if necessary.
     *
     * @throws StartFailure if the start fails for the first time
     * @throws TestAbortedException if an earlier start has failed
     * @throws Mismatch if a node has ended since the test before
     */
    synchronized ClusterHome running(NodeFactory factory, int nodeCount) {
        if (failure != null) {
            throw new TestAbortedException("the server does not start");
        }
        if (home != null && !home.isRunning()) {
            throw diedUnnoticed();
        }
        if (home == null) {
            home = start(factory, nodeCount);
        }
        return home;
    }

    /**
     * Closes the cluster, so that the next test starts a new one. Returns the failure of this test.
     */
    private Mismatch diedUnnoticed() {
        var log =
                home.nodes().stream()
                        .filter(node -> !node.node().isRunning())
                        .map(node -> node.node().logTail())
                        .collect(Collectors.joining("\n"));
        close();
        return new Mismatch(
                "the server to run on after the earlier tests", "it ended\n" + log.indent(4));
    }

    private ClusterHome start(NodeFactory factory, int nodeCount) {
        var name = nodeCount == 1 ? "node-1" : "node";
        try {
            return ClusterHome.start(factory, name, nodeCount, ClusterList.ROTATED);
        } catch (StartFailure first) {
            failure = first;
            throw first;
        }
    }

    @Override
    public synchronized void close() {
        if (home != null) {
            home.close();
            home = null;
        }
    }
}
