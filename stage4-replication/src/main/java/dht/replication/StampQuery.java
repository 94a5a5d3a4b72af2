package dht.replication;

import dht.http.EntityRequest;
import dht.http.Responder;
import java.util.List;

/**
 * The first half of a write to an atomic register: asks a quorum for the newest stamp of the key,
 * so that the write gets a greater one, and is sent only once.
 *
 * <p>A write to a regular register is sent with the stamp of this node's clock. If a replica turns
 * out to have a newer version, the write is sent again with a greater stamp. So the same value has
 * two places in the order of versions. A reader could return the value, then the version between
 * these places, and then the value again. This is no longer one write that happens at one moment.
 * N. Lynch and A. Shvartsman, "Robust emulation of shared memory using dynamic quorum-acknowledged
 * broadcasts", FTCS 1997, ask first in each write, as this class does.
 *
 * <p>This node answers at once, because its clock is past all stamps that it has stored. While its
 * data may be incomplete, it counts as failed, as in a read.
 *
 * <p>Thread-safe: answers may arrive on any thread.
 */
public final class StampQuery implements Poll.Listener {
    private final Responder responder;
    private final CoordinatorContext context;
    private final Runnable write;

    private StampQuery(Responder responder, CoordinatorContext context, Runnable write) {
        this.responder = responder;
        this.context = context;
        this.write = write;
    }

    /**
     * Asks the replicas, and then starts the write in the pool. If too few replicas answer, the
     * client gets the failure.
     *
     * @param replicas all replicas of the key, this node's own first if it is one of them
     * @param atOnce how many replicas are asked at the same time
     * @param write starts the write, which takes its stamp then; if it throws, the client gets an
     *     error
     */
    public static void begin(
            EntityRequest request,
            Responder responder,
            CoordinatorContext context,
            Quorum quorum,
            List<Replica> replicas,
            int atOnce,
            Runnable write) {
        WriteRound round = WriteRound.last(quorum);
        StampQuery query = new StampQuery(responder, context, write);
        byte[] key = request.key();
        long stampMicros = context.clock().nextMicros();
        List<Replica> others = replicas;
        if (replicas.getFirst() instanceof LocalReplica own) {
            own.findNewer(key, stampMicros, round::add); // It answers at once.
            others = replicas.subList(1, replicas.size());
        }
        if (round.isDecided()) {
            query.decided(round.result());
        } else {
            new Poll(
                            others,
                            round,
                            (replica, receiver) -> replica.findNewer(key, stampMicros, receiver),
                            query)
                    .begin(atOnce);
        }
    }

    @Override
    public void decided(WriteResult result) {
        try {
            switch (result) {
                case WriteResult.Acknowledged _, WriteResult.Outdated _ ->
                        context.continueInPool(write, responder);
                case WriteResult.TooFewReplicas few -> context.answer(few.failure(), responder);
            }
        } catch (RuntimeException | Error e) {
            responder.fail(e);
        }
    }

    @Override
    public void failed(Throwable reason) {
        responder.fail(reason);
    }

    @Override
    public void ended() {}
}
