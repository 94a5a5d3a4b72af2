package dht.cluster;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The nodes of the cluster, and the index of this node among them. Immutable.
 *
 * @param nodes sorted by address, so that all nodes use the same indexes, even if their command
 *     lines have different orders
 * @param self index of this node
 * @param internalPort where nodes serve each other
 */
public record Topology(List<NodeAddress> nodes, int self, InternalPort internalPort) {
    /** Creates a topology in which nodes and clients use the same ports. */
    public Topology(List<NodeAddress> nodes, int self) {
        this(nodes, self, InternalPort.SHARED);
    }

    /** A cluster of one node. */
    public static Topology single(NodeAddress self) {
        return new Topology(List.of(self), 0);
    }

    /**
     * Creates a topology from the command line, and checks it.
     *
     * @param cluster the URLs of all nodes, including this one
     * @throws IllegalArgumentException with one line that says what is wrong
     */
    public static Topology of(String self, List<String> cluster) {
        NodeAddress here = NodeAddress.parse(self);
        Set<NodeAddress> distinct = new HashSet<>();
        for (String url : cluster) {
            NodeAddress node = NodeAddress.parse(url);
            if (!distinct.add(node)) {
                throw new IllegalArgumentException(
                        "--cluster has a node twice: " + node + ": list every node once");
            }
        }
        List<NodeAddress> nodes = distinct.stream().sorted().toList();
        int index = nodes.indexOf(here);
        if (index < 0) {
            throw new IllegalArgumentException(
                    "--cluster lacks --self "
                            + here
                            + ": list every node, this one included, with the same URL");
        }
        return new Topology(nodes, index);
    }

    /**
     * The same nodes with an internal port.
     *
     * @throws IllegalArgumentException if a node's internal port would be the clients' port or
     *     greater than 65535; the message is one line that names the port
     */
    Topology with(InternalPort port) {
        for (NodeAddress node : nodes) {
            NodeAddress internal = port.of(node);
            if (!internal.equals(node) && nodes.contains(internal)) {
                throw new IllegalArgumentException(
                        "--internal-port: %s would be the internal port of %s, but clients use it: choose another port or distance"
                                .formatted(internal, node));
            }
        }
        return new Topology(nodes, self, port);
    }

    public NodeAddress selfAddress() {
        return nodes.get(self);
    }

    /** The names of the nodes, which placement hashes. */
    public List<String> names() {
        return nodes.stream().map(NodeAddress::url).toList();
    }
}
