package dht.testkit.node;

import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The nodes of a cluster, each with its {@link NodeHome}. A single server is a cluster of one node.
 * Closing ends all nodes and removes their files.
 *
 * <p>For one thread at a time.
 */
public final class ClusterHome implements AutoCloseable {
    private static final int PORTS_TRIED_MAX = 5;

    private final List<NodeHome> nodes;

    private ClusterHome(List<NodeHome> nodes) {
        this.nodes = nodes;
    }

    /** Chooses the list of nodes that each node is started with. */
    @FunctionalInterface
    public interface ClusterList {
        /**
         * Each node gets all nodes, but in another order, because the owner of a key must not
         * depend on the order.
         */
        ClusterList ROTATED =
                (all, node) -> {
                    var list = new ArrayList<>(all);
                    Collections.rotate(list, node);
                    return list;
                };

        List<URI> toldTo(List<URI> all, int node);
    }

    /**
     * Starts nodes with empty data directories. If another program uses one of their ports, tries
     * again with other ports.
     *
     * @param name the name of a single node; several nodes get this name and a number
     * @throws StartFailure if a node does not start
     */
    public static ClusterHome start(
            NodeFactory factory, String name, int count, ClusterList clusterList) {
        return start(factory, name, count, clusterList, DiskKind.SHARED);
    }

    /** The same, with the data on disks of the given kind. */
    public static ClusterHome start(
            NodeFactory factory, String name, int count, ClusterList clusterList, DiskKind disk) {
        if (count == 1) {
            return new ClusterHome(List.of(NodeHome.start(factory, name)));
        }
        for (var tried = 1; ; tried++) {
            var home = create(factory, name, count, clusterList, disk);
            try {
                home.nodes.forEach(node -> node.node().start());
                return home;
            } catch (StartFailure failure) {
                home.close();
                if (failure.kind() != StartFailure.Kind.PORT_TAKEN || tried == PORTS_TRIED_MAX) {
                    throw failure;
                }
            }
        }
    }

    private static ClusterHome create(
            NodeFactory factory, String name, int count, ClusterList clusterList, DiskKind disk) {
        var leases = IntStream.range(0, count).mapToObj(_ -> Ports.lease()).toList();
        var urls = leases.stream().map(lease -> NodeSpec.url(lease.port())).toList();
        return new ClusterHome(
                IntStream.range(0, count)
                        .mapToObj(
                                i ->
                                        new NodeHome(
                                                factory,
                                                name + "-" + (i + 1),
                                                leases.get(i),
                                                clusterList.toldTo(urls, i),
                                                disk))
                        .toList());
    }

    public List<NodeHome> nodes() {
        return nodes;
    }

    /** Whether no node has ended. */
    public boolean isRunning() {
        return nodes.stream().allMatch(home -> home.node().isRunning());
    }

    @Override
    public void close() {
        nodes.forEach(NodeHome::close);
    }
}
