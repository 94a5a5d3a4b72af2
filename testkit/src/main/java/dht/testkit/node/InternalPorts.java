package dht.testkit.node;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A second port for each node of a cluster, all of them equally far above the first one. They stay
 * leased until the JVM ends, so that a node finds its own again. Threads may share an object.
 */
public final class InternalPorts {
    private final Map<List<URI>, Integer> distances = new ConcurrentHashMap<>();

    /** How far above a node's port its second one is. */
    public int distance(NodeSpec node) {
        var sameOnAllNodes = node.cluster().stream().sorted().toList();
        return distances.computeIfAbsent(sameOnAllNodes, InternalPorts::lease);
    }

    private static int lease(List<URI> cluster) {
        var ports = cluster.stream().map(URI::getPort).toList();
        return Ports.leaseAbove(ports).getFirst().port() - ports.getFirst();
    }
}
