package dht.replication.async;

import dht.http.EntityRequest;
import dht.http.Responder;
import dht.peer.TimeoutQueue;
import dht.peer.TimeoutThread;
import dht.replication.CoordinatorContext;
import dht.replication.FanOut;
import dht.replication.LocalReplica;
import dht.replication.Quorum;
import dht.replication.RegisterKind;
import dht.replication.Replica;
import dht.replication.StampQuery;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A fan-out that asks replicas at the same time. A write asks all of them, a read as many as must
 * answer.
 *
 * <p>The thread that receives an answer also processes it. If the answer decides the request, the
 * same thread answers the client, unless the client must wait for further copies or for a
 * write-back. This node's own storage is used on the calling thread, after the other replicas were
 * asked. There are three exceptions. A query for stamps asks this node first. After such a query,
 * or with a new stamp, the write continues on a thread of the pool. Two kinds of copies of this
 * node are written in the pool, too: those that wait until another replica has accepted the stamp,
 * and those of a write-back.
 *
 * <p>Thread-safe.
 */
public final class ParallelFanOut implements FanOut {
    private static final long LOOK_PAUSE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(5);

    private final CoordinatorContext context;
    private final Optional<Hedges> hedges;
    private final TimeoutQueue rechecks;

    /**
     * @param hedges hedges reads; if empty, a read waits for the replicas that it has asked
     * @param timeoutThread checks the writes that wait for a replica which is behind
     */
    public ParallelFanOut(
            CoordinatorContext context, Optional<Hedges> hedges, TimeoutThread timeoutThread) {
        this.context = context;
        this.hedges = hedges;
        this.rechecks =
                timeoutThread.queue(ParallelWrite.RECHECK_DELAY.toNanos(), LOOK_PAUSE_NANOS_MAX);
    }

    @Override
    public void read(
            EntityRequest.Get request,
            Responder responder,
            Quorum quorum,
            RegisterKind kind,
            List<Replica> holders) {
        new ParallelRead(request, responder, quorum, kind, holders, context, hedges.orElse(null))
                .begin();
    }

    @Override
    public void write(
            EntityRequest request,
            Responder responder,
            Quorum quorum,
            RegisterKind kind,
            List<Replica> holders) {
        boolean hasOwn = holders.size() > 1 && holders.getFirst() instanceof LocalReplica;
        Replica own = hasOwn ? holders.getFirst() : null;
        List<Replica> others = hasOwn ? holders.subList(1, holders.size()) : holders;
        var write = new ParallelWrite(request, responder, quorum, own, others, context, rechecks);
        switch (kind) {
            case REGULAR -> write.begin();
            case ATOMIC ->
                    StampQuery.begin(
                            request,
                            responder,
                            context,
                            quorum,
                            holders,
                            holders.size(),
                            write::beginOnce);
        }
    }
}
