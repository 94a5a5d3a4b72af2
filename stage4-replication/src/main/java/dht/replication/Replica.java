package dht.replication;

import dht.http.EntityRequest;
import java.util.List;
import java.util.function.Consumer;

/**
 * A node with copies, from the point of view of a coordinator. Calls never wait for another node.
 * The receiver gets exactly one answer, even if something fails: at once on the caller's thread, or
 * later on another thread. One exception: if a method throws, for example an {@link
 * OutOfMemoryError}, its receiver gets nothing. The receiver must not throw.
 *
 * <p>Thread-safe.
 */
public interface Replica {
    /** Reads the newest version. The receiver must close the outcome that it gets. */
    void read(EntityRequest.Get request, Consumer<ReadAnswer> receiver);

    /**
     * Writes a version.
     *
     * @param request a put or a delete; its value must stay readable until the receiver is called
     * @param timestampMicros the stamp of the version, in microseconds since 1970
     */
    void write(EntityRequest request, long timestampMicros, Consumer<WriteAnswer> receiver);

    /**
     * Called for a write that this replica may lack: {@link #write} has thrown, or was not called.
     */
    void noteMissed(EntityRequest write, long timestampMicros);

    /**
     * Asks whether the replica has a version of a key with this stamp or a greater one. Stores
     * nothing, and sends no value.
     *
     * @param receiver gets {@code Superseded} if there is such a version, and {@code Stored} if
     *     there is none, although nothing was stored
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
