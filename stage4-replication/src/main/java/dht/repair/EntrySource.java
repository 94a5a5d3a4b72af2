package dht.repair;

import dht.cluster.NodeAddress;
import java.io.IOException;

/**
 * Copies entries from another node to this one: all entries of which this node is also a replica.
 *
 * <p>Used by one thread at a time.
 */
@FunctionalInterface
interface EntrySource {
    /**
     * Returns when this node has stored all entries that the other node had when this was called.
     *
     * @throws IOException if the node does not answer; entries that have already arrived are stored
     */
    void receiveAll(NodeAddress node) throws IOException, InterruptedException;
}
