package dht.testkit.contract;

import dht.testkit.ServerUnderTest;
import dht.testkit.node.NodeSpec;
import dht.testkit.transcript.Mismatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/**
 * Takes the place of a stopped node and never answers, like a node that is paused. No thread
 * accepts its connections: the operating system lets them wait. When it is closed, everything that
 * was sent to it is lost.
 */
final class SilentNode implements AutoCloseable {
    private static final int CONNECTION_COUNT_MAX = 50;

    private final ServerSocket socket;

    private SilentNode(ServerSocket socket) {
        this.socket = socket;
    }

    /** Listens on the port of a node, which must be stopped. */
    static SilentNode insteadOf(ServerUnderTest node) {
        var port = node.node().spec().port();
        try {
            var address = InetAddress.ofLiteral(NodeSpec.HOST);
            return new SilentNode(new ServerSocket(port, CONNECTION_COUNT_MAX, address));
        } catch (IOException e) {
            throw new Mismatch(node.name() + " to free its port when it stops", e.toString());
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException _) {
            // Nothing is left to close.
        }
    }
}
