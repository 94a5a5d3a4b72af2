package dht.replication;

import dht.http.EntityRequest;
import dht.http.Responder;
import java.util.List;

/**
 * A fan-out that asks one replica after the other.
 *
 * <p>A request moves from thread to thread. It begins on a worker of the pool. The worker serves
 * this node's own copy and sends the request to the next replica. If the copy waits for a sync, a
 * worker sends the request after the sync. A thread of that {@link dht.peer.Peer} waits for the
 * answer and takes the next step. So a slow replica occupies only its own threads and its own
 * bounded queue, never the pool. This node can always serve requests for other replicas and
 * requests from other nodes. If workers waited for replicas, the pools of several nodes could wait
 * for each other in a cycle: a deadlock.
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
            EntityRequest.Get request,
            Responder responder,
            Quorum quorum,
            RegisterKind kind,
            List<Replica> holders) {
        new SequentialRead(request, responder, quorum, kind, holders, context).step();
    }

    @Override
    public void write(
            EntityRequest request,
            Responder responder,
            Quorum quorum,
            RegisterKind kind,
            List<Replica> holders) {
        var write = new SequentialWrite(request, responder, quorum, holders, context);
        switch (kind) {
            case REGULAR -> write.begin();
            case ATOMIC ->
                    StampQuery.begin(
                            request, responder, context, quorum, holders, 1, write::beginOnce);
        }
    }
}
