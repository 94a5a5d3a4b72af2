package dht.replication;

import dht.http.EntityRequest;
import dht.http.Responder;
import java.util.List;

/**
 * Asks the replicas of a key, and answers the client.
 *
 * <p>Seam: stage 4 asks one replica after the other, with {@link SequentialFanOut}. Stage 5 asks
 * several at the same time.
 *
 * <p>Thread-safe. Called on threads of the pool. Blocks them only for this node's own storage.
 */
public interface FanOut {
    /**
     * @param kind what the read promises
     * @param holders {@code from} replicas, this node's own first if it is one of them
     */
    void read(
            EntityRequest.Get request,
            Responder responder,
            Quorum quorum,
            RegisterKind kind,
            List<Replica> holders);

    /**
     * @param request a put or a delete
     * @param kind what reads of the key promise
     * @param holders {@code from} replicas, this node's own first if it is one of them
     */
    void write(
            EntityRequest request,
            Responder responder,
            Quorum quorum,
            RegisterKind kind,
            List<Replica> holders);
}
