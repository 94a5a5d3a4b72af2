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
     * Copies the entries of another node, and waits until this node has stored all those that the
     * other node had when this was called. They need not be durable yet.
     *
     * @throws IOException if the node does not answer correctly, or if an entry could not be
     *     stored; entries that were stored before stay
     * @throws dht.storage.StorageException if this node's storage fails
     */
    void receiveAll(NodeAddress node) throws IOException, InterruptedException;
}
