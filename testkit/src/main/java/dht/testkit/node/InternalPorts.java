package dht.testkit.node;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A second port for each node of a cluster. The distance between the two ports is the same for all
 * nodes. The ports stay leased until the JVM ends, so that a restarted node gets the same one.
 * Threads may share an object.
 */
public final class InternalPorts {
    private final Map<List<URI>, Integer> distances = new ConcurrentHashMap<>();

    /** The distance from the first port of a node to its second port. */
    public int distance(NodeSpec node) {
        var sameOnAllNodes = node.cluster().stream().sorted().toList();
        return distances.computeIfAbsent(sameOnAllNodes, InternalPorts::lease);
    }

    private static int lease(List<URI> cluster) {
        var ports = cluster.stream().map(URI::getPort).toList();
        return Ports.leaseAbove(ports).getFirst().port() - ports.getFirst();
    }
}
