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

    /**
     * The nodes whose entries have not all been received, and whose last greeting said that their
     * own data is complete.
     */
    List<NodeAddress> sources() {
        return left().stream().filter(node -> others.isIn(node, NodePhase.READY)).toList();
    }

    /**
     * The number of other nodes whose entries have not all been received; 0 unless this node is
     * rebuilding.
     */
    int leftCount() {
        return stored.get().phase() == NodePhase.REBUILDING ? left().size() : 0;
    }

    private List<NodeAddress> left() {
        NodeState state = stored.get();
        return others.all().stream().filter(node -> !state.of(node).isReceived()).toList();
    }

    /**
     * Notes that all entries of a node have been received, and are durable.
     *
     * @throws IOException if this cannot be stored; then it is not noted
     */
    void received(NodeAddress node) throws IOException {
        stored.update(
                state -> state.with(node, new NodeState.Other(state.of(node).identity(), true)));
    }

    /**
     * Whether the rebuild is complete. For this, two things must be true. This node has received
     * the entries of each other node, except nodes that are rebuilding themselves. And it has
     * received the entries of at least {@link OtherNodes#receivedMin} nodes.
     */
    boolean isAllReceived() {
        return others.isEnoughWithout(left());
    }

    /**
     * Whether so many other nodes are rebuilding that this node can receive the entries of fewer
     * than {@link OtherNodes#receivedMin}, including those that it has received already. Then this
     * rebuild cannot end, and acknowledged writes may be lost.
     */
    boolean isHopeless() {
        NodeState state = stored.get();
        return others.all().stream()
                        .filter(
                                node ->
                                        state.of(node).isReceived()
                                                || !others.isIn(node, NodePhase.REBUILDING))
                        .count()
                < others.receivedMin();
    }
}
