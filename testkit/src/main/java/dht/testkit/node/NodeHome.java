package dht.testkit.node;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a node lives: a leased port, a directory for its data and its output, and the node itself.
 * Closing it ends the node and clears all away.
 *
 * <p>One thread at a time.
 */
public final class NodeHome implements AutoCloseable {
    private static final int PORTS_TRIED_MAX = 5;

    private final NodeFactory factory;
    private final Path directory;
    private final List<Ports.Lease> leases = new ArrayList<>();
    private final List<Node> rivals = new ArrayList<>();
    private Node node;

    private NodeHome(NodeFactory factory, String name) {
        this.factory = factory;
        this.directory = Cleanup.directory(name);
        this.node = create(name);
    }

    /** A node of a cluster, not started, which takes over the lease of its port. */
    NodeHome(NodeFactory factory, String name, Ports.Lease lease, List<URI> cluster) {
        this.factory = factory;
        this.directory = Cleanup.directory(name);
        this.leases.add(lease);
        this.node = create(name, lease.port(), cluster);
    }

    /**
     * Starts a node with an empty data directory; where somebody else turns out to have its port,
     * on another one.
     *
     * @throws StartFailure where it doesn't come up
     */
    public static NodeHome start(NodeFactory factory, String name) {
        var home = new NodeHome(factory, name);
        try {
            home.startOnAnyPort(name);
            return home;
        } catch (StartFailure failure) {
            home.close();
            throw failure;
        }
    }

    private void startOnAnyPort(String name) {
        for (var tried = 1; ; tried++) {
            try {
                node.start();
                return;
            } catch (StartFailure failure) {
                if (failure.kind() != StartFailure.Kind.PORT_TAKEN || tried == PORTS_TRIED_MAX) {
                    throw failure;
                }
                emptyDataDirectory();
                node = create(name);
            }
        }
    }

    private Node create(String name) {
        var port = leasePort();
        return create(name, port, List.of(NodeSpec.url(port)));
    }

    private Node create(String name, int port, List<URI> cluster) {
        var data = Cleanup.makeDirectory(directory.resolve("data"));
        var log = Cleanup.makeDirectory(directory.resolve("log"));
        return factory.create(new NodeSpec(name, port, data, log, cluster));
    }

    public Node node() {
        return node;
    }

    /** Another node, not started, that claims the same data directory. */
    public Node rival() {
        var rival = factory.create(node.spec().rival(leasePort()));
        rivals.add(rival);
        return rival;
    }

    /** Deletes what the node has stored. The node must be down. */
    public void emptyDataDirectory() {
        Cleanup.deleteTree(node.spec().dataDir());
        Cleanup.makeDirectory(node.spec().dataDir());
    }

    private int leasePort() {
        var lease = Ports.lease();
        leases.add(lease);
        return lease.port();
    }

    @Override
    public void close() {
        rivals.forEach(Node::close);
        node.close();
        leases.forEach(Ports.Lease::close);
        Cleanup.delete(directory);
    }
}
