package dht.replication;

import dht.http.EntityRequest;
import dht.http.Responder;
import java.util.List;

/**
 * Asks one replica after the other.
 *
 * <p>A request travels. It begins on a worker of the pool, which does what is this node's own and
 * writes the request to the next replica; a thread of that {@link dht.peer.Peer} waits for the
 * answer, and takes the next step. So a replica that is slow holds up its own threads and its own
 * bounded queue, never the pool, and so neither the other replicas nor the copies that other nodes
 * ask for: these could else wait for each other in a circle.
 *
 * <p>Thread-safe.
 */
public final class SequentialFanOut implements FanOut {
    private final CoordinatorContext context;

    public SequentialFanOut(CoordinatorContext context) {
        this.context = context;
    }

    @Override
    public void read(
            EntityRequest.Get request, Responder responder, Quorum quorum, List<Replica> holders) {
        new SequentialRead(request, responder, quorum, holders, context).step();
    }

    @Override
    public void write(
            EntityRequest request, Responder responder, Quorum quorum, List<Replica> holders) {
        new SequentialWrite(request, responder, quorum, holders, context).begin();
    }
}
