package dht.testkit.junit;

import dht.testkit.node.ClusterHome;
import dht.testkit.node.ClusterHome.ClusterList;
import dht.testkit.node.NodeFactory;
import dht.testkit.node.StartFailure;
import dht.testkit.transcript.Mismatch;
import java.util.stream.Collectors;
import org.opentest4j.TestAbortedException;

/**
 * The server, or the cluster, that the tests of a class share: started for the first of them, again
 * after a node went down (which is told), never again after it failed to start. Threads may share
 * it.
 */
final class SharedCluster implements AutoCloseable {
    // Guarded by this; null until started.
    private ClusterHome home;
    private StartFailure failure;

    /** The running nodes. */
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

    /** The next test gets a new one; this one tells about it. */
    private Mismatch diedUnnoticed() {
        var log =
                home.nodes().stream()
                        .filter(node -> !node.node().isRunning())
                        .map(node -> node.node().logTail())
                        .collect(Collectors.joining("\n"));
        close();
        return new Mismatch(
                "the server to live on after the tests before", "it ended\n" + log.indent(4));
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
