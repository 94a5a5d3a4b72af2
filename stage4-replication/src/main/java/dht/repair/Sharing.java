package dht.repair;

import dht.sharding.Placement;

/**
 * Decides which versions two nodes both hold: those for which both are among the first {@code from}
 * nodes of the key's preference list. Immutable and thread-safe.
 *
 * @param self the index of this node
 * @param other the index of the other node
 */
record Sharing(Placement placement, int self, int other) {
    /**
     * @param from how many nodes hold the version; 0 if all of them do
     */
    boolean includes(byte[] key, int from) {
        if (from == 0 || from >= placement.nodeCount()) {
            return true;
        }
        boolean hasSelf = false;
        boolean hasOther = false;
        for (int node : placement.preferenceList(key, from)) {
            hasSelf |= node == self;
            hasOther |= node == other;
        }
        return hasSelf && hasOther;
    }
}
