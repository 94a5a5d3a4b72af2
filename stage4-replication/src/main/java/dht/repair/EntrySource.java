package dht.repair;

import dht.cluster.NodeAddress;
import java.io.IOException;

/**
 * Brings all entries of another node to this one, if this node shares them.
 *
 * <p>Used by one thread at a time.
 */
@FunctionalInterface
interface EntrySource {
    /**
     * Returns when this node has stored all entries that the other node had when this was called.
     *
     * @throws IOException if the node does not answer; what has arrived is stored
     */
    void receiveAll(NodeAddress node) throws IOException, InterruptedException;
}
