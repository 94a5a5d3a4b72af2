package dht.replication;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;

/**
 * Learns which replicas may lack a version that others hold, and brings it to them.
 *
 * <p>Seam: the coordinators of stages 4 and 5 tell what they meet, and {@code dht.repair} heals.
 * That is work of its own: nothing of it counts as an answer of a replica.
 *
 * <p>Thread-safe. No method blocks or throws.
 */
public interface Healing {
    /** Leaves all as it is. */
    Healing NONE =
            new Healing() {
                @Override
                public void missed(NodeAddress node, EntityRequest write, long timestampMicros) {}

                @Override
                public void divided(byte[] key, int from) {}
            };

    /**
     * Another node may not have stored this write: it did not say that it has.
     *
     * @param write a put or a delete
     */
    void missed(NodeAddress node, EntityRequest write, long timestampMicros);

    /**
     * Replicas of a key have answered a read with different versions.
     *
     * @param from how many replicas the reader takes the key to have
     */
    void divided(byte[] key, int from);
}
