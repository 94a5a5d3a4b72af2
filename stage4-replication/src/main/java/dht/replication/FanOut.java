package dht.replication;

import dht.http.EntityRequest;
import dht.http.Responder;
import java.util.List;

/**
 * How a coordinator asks the replicas of a key, and when it answers its client.
 *
 * <p>Seam: stage 4 asks one after the other, {@link SequentialFanOut}; stage 5 asks all at once.
 *
 * <p>Thread-safe. To be called on a thread of the pool; blocks it for this node's own storage only.
 */
public interface FanOut {
    /**
     * @param holders {@code from} replicas, this node's own first if it is one of them
     */
    void read(EntityRequest.Get request, Responder responder, Quorum quorum, List<Replica> holders);

    /**
     * @param request a put or a delete
     * @param holders {@code from} replicas, this node's own first if it is one of them
     */
    void write(EntityRequest request, Responder responder, Quorum quorum, List<Replica> holders);
}
