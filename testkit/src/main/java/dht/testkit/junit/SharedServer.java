package dht.testkit.junit;

import dht.testkit.node.NodeFactory;
import dht.testkit.node.NodeHome;
import dht.testkit.node.StartFailure;
import dht.testkit.transcript.Mismatch;
import org.opentest4j.TestAbortedException;

/**
 * The server that the tests of a class share: started for the first of them, again after it went
 * down (which is told), never again after it failed to start. Threads may share it.
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
            throw diedUnnoticed();
        }
        if (home == null) {
            home = start(factory);
        }
        return home;
    }

    /** The next test gets a new one; this one tells about it. */
    private Mismatch diedUnnoticed() {
        var log = home.node().logTail();
        close();
        return new Mismatch(
                "the server to live on after the tests before", "it ended\n" + log.indent(4));
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
