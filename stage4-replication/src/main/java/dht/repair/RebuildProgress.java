package dht.repair;

import dht.cluster.NodeAddress;
import java.io.IOException;
import java.util.List;

/**
 * The progress of a rebuild: from which nodes it has received all entries, and which nodes are
 * still missing.
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

    /** The nodes that are still missing and whose own data is complete. */
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
     * Whether the rebuild is complete. This node must have received the entries of each other node
     * that is not rebuilding, too. It must also have received the entries of enough nodes.
     */
    boolean isAllReceived() {
        return others.isEnoughWithout(left());
    }

    /**
     * Whether this rebuild cannot end, because too many other nodes are rebuilding, too.
     * Acknowledged writes may then be lost.
     */
    boolean isHopeless() {
        return others.all().stream()
                        .filter(node -> !others.isIn(node, NodePhase.REBUILDING))
                        .count()
                < others.receivedMin();
    }
}
