package dht.testkit.node;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A node with its leased port and its directory for data and output. Closing ends the node and
 * removes the directory.
 *
 * <p>For one thread at a time.
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

    /** Creates a node of a cluster, which is not started. It takes over the lease of its port. */
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
     * Starts a node with an empty data directory. If another program uses its port, tries again
     * with another port.
     *
     * @throws StartFailure if it does not start
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

    /** A second node with the same data directory. It is not started. */
    public Node rival() {
        var rival = factory.create(node.spec().rival(leasePort()));
        rivals.add(rival);
        return rival;
    }

    /** Deletes what the node has stored. The node must be stopped. */
    public void emptyDataDirectory() {
        Cleanup.deleteTree(node.spec().dataDir());
        Cleanup.makeDirectory(node.spec().dataDir());
    }

    /** Fills the disk of the node completely. It must be a {@link DiskKind#SMALL} one. */
    public void fillDisk() {
        smallDisk.orElseThrow().fill();
    }

    /** Frees the space that {@link #fillDisk} has used. */
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
