package dht.range;

import dht.replication.Quorum;

/**
 * How many nodes a range over the cluster needs. Immutable.
 *
 * <p>A key's replicas may be any {@code from} of the nodes. If at most {@code from} - {@code ack}
 * nodes are missing, then {@code ack} replicas of each key are among the others.
 *
 * @param quorum what each key needs
 * @param nodeCount the number of nodes in the cluster
 */
record NodeQuorum(Quorum quorum, int nodeCount) {
    /**
     * How many nodes must have answered, so that {@code ack} replicas of each key are among them.
     */
    int nodesMin() {
        return nodeCount - (quorum.from() - quorum.ack());
    }
}
