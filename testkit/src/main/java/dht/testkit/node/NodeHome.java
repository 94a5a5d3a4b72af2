package dht.testkit.node;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
    private final Optional<SmallDisk> smallDisk;
    private Node node;

    private NodeHome(NodeFactory factory, String name) {
        this.factory = factory;
        this.directory = Cleanup.directory(name);
        this.smallDisk = Optional.empty();
        this.node = create(name);
    }

    /** A node of a cluster, not started, which takes over the lease of its port. */
    NodeHome(
            NodeFactory factory, String name, Ports.Lease lease, List<URI> cluster, DiskKind disk) {
        this.factory = factory;
        this.directory = Cleanup.directory(name);
        this.smallDisk =
                disk == DiskKind.SMALL
                        ? Optional.of(SmallDisk.mount(directory.resolve("disk")))
                        : Optional.empty();
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
        var data =
                smallDisk
                        .map(SmallDisk::dataDir)
                        .orElseGet(() -> Cleanup.makeDirectory(directory.resolve("data")));
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

    /** Leaves no room on the node's disk, which must be a {@link DiskKind#SMALL} one. */
    public void fillDisk() {
        smallDisk.orElseThrow().fill();
    }

    /** Gives back what {@link #fillDisk} has taken. */
    public void freeDisk() {
        smallDisk.orElseThrow().free();
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
        smallDisk.ifPresent(SmallDisk::close);
        Cleanup.delete(directory);
    }
}
