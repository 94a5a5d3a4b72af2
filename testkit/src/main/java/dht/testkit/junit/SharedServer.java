package dht.testkit.junit;

import dht.testkit.node.NodeFactory;
import dht.testkit.node.NodeHome;
import dht.testkit.node.StartFailure;
import org.opentest4j.TestAbortedException;

/**
 * The server that the tests of a class share: started for the first of them, again after it went
 * down, never again after it failed to start. Threads may share it.
 */
final class SharedServer implements AutoCloseable {
    // Guarded by this; null until started.
    private NodeHome home;
    private StartFailure failure;

    /** The running server. */
    synchronized NodeHome running(NodeFactory factory) {
        if (failure != null) {
            throw new TestAbortedException("the server does not start");
        }
        if (home != null && !home.node().isRunning()) {
            close();
        }
        if (home == null) {
            home = start(factory);
        }
        return home;
    }

    private NodeHome start(NodeFactory factory) {
        try {
            return NodeHome.start(factory, "node-1");
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
