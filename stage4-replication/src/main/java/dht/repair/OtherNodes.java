package dht.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.cluster.NodeAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What this process has heard from the other nodes. It is kept only in memory.
 *
 * <p>Thread-safe.
 */
final class OtherNodes {
    private final List<NodeAddress> all;

    private final Map<NodeAddress, NodePhase> phases = new ConcurrentHashMap<>();

    @GuardedBy("this")
    private final Set<NodeAddress> agreed = new HashSet<>();

    OtherNodes(List<NodeAddress> nodes, NodeAddress self) {
        this.all = nodes.stream().filter(node -> !node.equals(self)).toList();
    }

    List<NodeAddress> all() {
        return all;
    }

    void heard(NodeAddress node, NodePhase phase) {
        phases.put(node, phase);
    }

    /** Whether the node has said that it is in the phase. */
    boolean isIn(NodeAddress node, NodePhase phase) {
        return phases.get(node) == phase;
    }

    /** Whether the node has said that its data may be incomplete. */
    boolean isIncomplete(NodeAddress node) {
        NodePhase phase = phases.get(node);
        return phase != null && phase != NodePhase.READY;
    }

    /**
     * Whether this node has every acknowledged write, although it has not received the entries of
     * these nodes. This is true if all of these nodes are rebuilding, and the entries of at least
     * {@link #receivedMin} other nodes have been received.
     */
    boolean isEnoughWithout(Collection<NodeAddress> left) {
        return left.stream().allMatch(node -> isIn(node, NodePhase.REBUILDING))
                && all.size() - left.size() >= receivedMin();
    }

    /**
     * From how many nodes this node must receive the entries. Fewer nodes could all lack a write
     * that a majority has acknowledged.
     */
    int receivedMin() {
        return Math.min(all.size(), (all.size() + 2) / 2);
    }

    /** The node has agreed: it knows no reason why this node's data could be incomplete. */
    synchronized void agreed(NodeAddress node) {
        agreed.add(node);
    }

    synchronized boolean haveAgreed(int min) {
        return agreed.size() >= min;
    }

    /** The nodes that have not agreed. */
    synchronized List<NodeAddress> notAgreed() {
        List<NodeAddress> left = new ArrayList<>(all);
        left.removeAll(agreed);
        return left;
    }
}
