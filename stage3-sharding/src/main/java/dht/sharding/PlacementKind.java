package dht.sharding;

import java.util.List;

/** The kinds of placement. */
public enum PlacementKind {
    /**
     * Computes a score for every node. It needs no configuration, but the time of a search grows
     * with the number of nodes.
     */
    RENDEZVOUS {
        @Override
        public Placement of(List<String> names, int virtualNodeCount) {
            return new RendezvousPlacement(names);
        }
    },
    /**
     * Searches for the key's place on a ring. It needs memory for each virtual node, but the time
     * of a search does not grow with their number.
     */
    CONSISTENT {
        @Override
        public Placement of(List<String> names, int virtualNodeCount) {
            return new ConsistentPlacement(names, virtualNodeCount);
        }
    };

    /** With this number, the shares of ten nodes usually differ by no more than three percent. */
    public static final int VIRTUAL_NODE_COUNT_DEFAULT = 1 << 15;

    /**
     * A placement over nodes.
     *
     * @param names distinct names, in the same order on all nodes
     * @param virtualNodeCount virtual nodes for each node; ignored by {@link #RENDEZVOUS}
     * @throws IllegalArgumentException if {@link #CONSISTENT} gets more than 65,535 names, less
     *     than one virtual node for each, or more than 2<sup>28</sup> virtual nodes in total
     */
    public abstract Placement of(List<String> names, int virtualNodeCount);
}
