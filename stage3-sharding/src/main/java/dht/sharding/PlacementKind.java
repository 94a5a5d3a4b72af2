package dht.sharding;

import java.util.List;

/** The ways to place keys that there are. */
public enum PlacementKind {
    /** Asks every node how much it wants the key: nothing to configure, and time for each node. */
    RENDEZVOUS {
        @Override
        public Placement of(List<String> names, int virtualNodeCount) {
            return new RendezvousPlacement(names);
        }
    },
    /** Looks the key up on a ring: memory for each virtual node, and no time for more of them. */
    CONSISTENT {
        @Override
        public Placement of(List<String> names, int virtualNodeCount) {
            return new ConsistentPlacement(names, virtualNodeCount);
        }
    };

    /** So many that ten nodes differ by no more than three percent, as a rule. */
    public static final int VIRTUAL_NODE_COUNT_DEFAULT = 1 << 15;

    /**
     * A placement over nodes.
     *
     * @param names distinct, and in an order on which all who place keys agree
     * @param virtualNodeCount of each node, where the placement has such
     */
    public abstract Placement of(List<String> names, int virtualNodeCount);
}
