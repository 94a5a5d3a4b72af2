package dht.replication.async;

import dht.http.EntityRequest;
import dht.http.Responder;
import dht.replication.CoordinatorContext;
import dht.replication.FanOut;
import dht.replication.LocalReplica;
import dht.replication.Quorum;
import dht.replication.Replica;
import java.util.List;
import java.util.Optional;

/**
 * Asks replicas at the same time: all of them to write, as many as must answer to read.
 *
 * <p>Each answer is dealt with on the thread that brings it, and the one that decides answers the
 * client. This node's own storage works on the calling thread, after the others were asked.
 *
 * <p>Thread-safe.
 */
public final class ParallelFanOut implements FanOut {
    private final CoordinatorContext context;
    private final Optional<Hedges> hedges;

    /**
     * @param hedges of reads, or none: then a read waits for whom it has asked
     */
    public ParallelFanOut(CoordinatorContext context, Optional<Hedges> hedges) {
        this.context = context;
        this.hedges = hedges;
    }

    @Override
    public void read(
            EntityRequest.Get request, Responder responder, Quorum quorum, List<Replica> holders) {
        new ParallelRead(request, responder, quorum, holders, context, hedges.orElse(null)).begin();
    }

    @Override
    public void write(
            EntityRequest request, Responder responder, Quorum quorum, List<Replica> holders) {
        new ParallelWrite(request, responder, quorum, othersFirst(holders), context).begin();
    }

    /** So that they work while this node does. */
    static List<Replica> othersFirst(List<Replica> holders) {
        if (!(holders.getFirst() instanceof LocalReplica)) {
            return holders;
        }
        Replica[] order = new Replica[holders.size()];
        for (int i = 0; i < order.length; i++) {
            order[i] = holders.get((i + 1) % order.length);
        }
        return List.of(order);
    }
}
