package dht.replication;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;

/**
 * Is notified of replicas that may lack a version, and brings the version to them. It also knows
 * which nodes may lack many versions.
 *
 * <p>Seam: the coordinators of stages 4 and 5 report what they find, and {@code dht.repair} heals.
 * Healing is separate from requests: it never counts as a replica's answer.
 *
 * <p>Thread-safe. No method throws, and none waits for another node. {@link #missed} may wait for
 * this node's own disk: it stores a hint, for which it may have to create a file or to reserve
 * blocks.
 */
public interface Healing {
    /** Does nothing. */
    Healing NONE =
            new Healing() {
                @Override
                public void missed(NodeAddress node, EntityRequest write, long timestampMicros) {}

                @Override
                public void divided(byte[] key, int from) {}
            };

    /**
     * Another node has not confirmed this write, so it may not have stored it.
     *
     * @param write a put or a delete
     */
    void missed(NodeAddress node, EntityRequest write, long timestampMicros);

    /**
     * Replicas of a key have answered a read with different versions.
     *
     * @param from how many replicas the key has, as the read's quorum says
     */
    void divided(byte[] key, int from);

    /**
     * Whether another node has said that its data may be incomplete, so that it answers no reads.
     * What it said last may be some seconds old.
     */
    default boolean isIncomplete(NodeAddress node) {
        return false;
    }
}
