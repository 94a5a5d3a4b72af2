package dht.replication;

import dht.http.EntityRequest;
import java.util.List;
import java.util.function.Consumer;

/**
 * A holder of copies, as a coordinator asks it. Doesn't block the caller on another node: whatever
 * fails, an answer comes to the receiver, which must not throw, on a thread of the replica's or at
 * once on the caller's.
 *
 * <p>Thread-safe.
 */
public interface Replica {
    void read(EntityRequest.Get request, Consumer<ReadAnswer> receiver);

    /**
     * @param request a put or a delete
     */
    void write(EntityRequest request, long timestampMicros, Consumer<WriteAnswer> receiver);

    /** Whether its copies had better be waited for: it answers, but much waits for it. */
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
