package dht.repair;

import dht.cluster.NodeAddress;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * What a node stores on disk about itself and about the other nodes. Immutable.
 *
 * @param identity a random number, chosen when the data directory was first used
 * @param phase what the node knows about its own data
 * @param contact when the node last had contact with other nodes
 * @param keptName the name of the directory to which old data must still be moved; empty if there
 *     is nothing to move
 * @param others one for each other node
 */
record NodeState(
        UUID identity,
        NodePhase phase,
        LastContact contact,
        String keptName,
        Map<NodeAddress, Other> others) {
    /**
     * What the node stores about another node.
     *
     * @param identity the identity of that node's data directory; null until it is known
     * @param isReceived whether all entries of that node have been received by the rebuild that is
     *     in progress
     */
    record Other(UUID identity, boolean isReceived) {
        static final Other UNKNOWN = new Other(null, false);
    }

    NodeState {
        others = Map.copyOf(others);
    }

    /** The state of a data directory that is used for the first time. */
    static NodeState first(NodePhase phase, long nowMillis, Collection<NodeAddress> others) {
        return new NodeState(
                UUID.randomUUID(),
                phase,
                LastContact.at(nowMillis),
                "",
                others.stream().collect(Collectors.toMap(each -> each, _ -> Other.UNKNOWN)));
    }

    /** The same state with the identity of a new data directory. */
    NodeState withNewIdentity() {
        return new NodeState(UUID.randomUUID(), phase, contact, keptName, others);
    }

    NodeState with(NodePhase next) {
        return new NodeState(identity, next, contact, keptName, others);
    }

    NodeState with(LastContact next) {
        return new NodeState(identity, phase, next, keptName, others);
    }

    NodeState withKept(String name) {
        return new NodeState(identity, phase, contact, name, others);
    }

    NodeState with(NodeAddress node, Other other) {
        Map<NodeAddress, Other> changed = new TreeMap<>(others);
        changed.put(node, other);
        return new NodeState(identity, phase, contact, keptName, changed);
    }

    /** The same state, but no entries have been received from any node yet. */
    NodeState withNoneReceived() {
        NodeState changed = this;
        for (NodeAddress node : others.keySet()) {
            changed = changed.with(node, new Other(of(node).identity(), false));
        }
        return changed;
    }

    Other of(NodeAddress node) {
        return others.getOrDefault(node, Other.UNKNOWN);
    }
}
