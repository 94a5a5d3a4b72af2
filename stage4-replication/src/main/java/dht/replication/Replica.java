package dht.replication;

import dht.http.EntityRequest;
import java.util.List;
import java.util.function.Consumer;

/**
 * A node with copies, from the point of view of a coordinator. Calls never wait for another node.
 * The receiver always gets an answer, even if something fails, either at once on the caller's
 * thread or later on a thread of the replica. The receiver must not throw.
 *
 * <p>Thread-safe.
 */
public interface Replica {
    void read(EntityRequest.Get request, Consumer<ReadAnswer> receiver);

    /**
     * @param request a put or a delete
     */
    void write(EntityRequest request, long timestampMicros, Consumer<WriteAnswer> receiver);

    /**
     * Asks whether the replica has a version of a key with this stamp or a greater one. Stores
     * nothing, and sends no value. The answer is as for a write with this stamp.
     */
    void findNewer(byte[] key, long timestampMicros, Consumer<WriteAnswer> receiver);

    /**
     * Whether a coordinator should wait for this replica's copies: the replica answers, but many
     * requests wait for it.
     */
    default boolean isBehind() {
        return false;
    }

    static boolean isAnyBehind(List<Replica> replicas) {
        for (Replica replica : replicas) {
            if (replica.isBehind()) {
                return true;
            }
        }
        return false;
    }
}
