package dht.repair;

import dht.cluster.NodeAddress;
import java.io.IOException;
import java.util.List;

/**
 * From which nodes a rebuild has received everything, and from which it must still receive.
 *
 * <p>Thread-safe.
 */
final class RebuildProgress {
    private final OtherNodes others;
    private final StoredState stored;

    RebuildProgress(OtherNodes others, StoredState stored) {
        this.others = others;
        this.stored = stored;
    }

    /** The nodes whose data is complete, and from which it was not received yet. */
    List<NodeAddress> sources() {
        return left().stream().filter(node -> others.isIn(node, NodePhase.READY)).toList();
    }

    /** The number of other nodes from which this node must still receive entries. */
    int leftCount() {
        return stored.get().phase() == NodePhase.REBUILDING ? left().size() : 0;
    }

    private List<NodeAddress> left() {
        NodeState state = stored.get();
        return others.all().stream().filter(node -> !state.of(node).isReceived()).toList();
    }

    /** All entries of a node have been received, and are durable. */
    void received(NodeAddress node) throws IOException {
        stored.update(
                state -> state.with(node, new NodeState.Other(state.of(node).identity(), true)));
    }

    /**
     * Whether this node has received everything that there is, and that is enough: each other node
     * was received, or is rebuilding, too.
     */
    boolean isAllReceived() {
        List<NodeAddress> left = left();
        return left.stream().allMatch(node -> others.isIn(node, NodePhase.REBUILDING))
                && others.all().size() - left.size() >= receivedMin();
    }

    /**
     * Whether so many nodes are rebuilding that this rebuild cannot end: writes that were
     * acknowledged may be lost.
     */
    boolean isHopeless() {
        return others.all().stream()
                        .filter(node -> !others.isIn(node, NodePhase.REBUILDING))
                        .count()
                < receivedMin();
    }

    /** The data of fewer nodes may lack a write that a majority has acknowledged. */
    private int receivedMin() {
        int count = others.all().size();
        return Math.min(count, (count + 2) / 2);
    }
}
