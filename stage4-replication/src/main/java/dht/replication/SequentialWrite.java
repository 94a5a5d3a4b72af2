package dht.replication;

import dht.http.EntityRequest;
import dht.http.Responder;
import java.util.List;

/**
 * One write to replicas, one after the other. Answers the client when the outcome is decided, and
 * then writes the remaining copies. In two cases the answer waits for further copies. First: there
 * is no memory to keep the value after the answer. Second: the write has succeeded, but a replica
 * that was not asked yet is behind. Without this wait, the queue of such a slow replica would grow
 * until it rejects copies.
 *
 * <p>Used by several threads, one at a time.
 */
final class SequentialWrite {
    private final EntityRequest request;
    private final Responder responder;
    private final Quorum quorum;
    // Null if this node has no copy, or the only copy. The only copy is in others.
    private final Replica own;
    private final List<Replica> others;
    private final CoordinatorContext context;

    private WriteRound round;
    private long timestampMicros;
    private boolean ownAsked;
    private int othersAsked;
    private boolean answered;
    private boolean keepsMemory;

    SequentialWrite(
            EntityRequest request,
            Responder responder,
            Quorum quorum,
            List<Replica> holders,
            CoordinatorContext context) {
        this.request = request;
        this.responder = responder;
        this.quorum = quorum;
        boolean hasOwn = holders.size() > 1 && holders.getFirst() instanceof LocalReplica;
        this.own = hasOwn ? holders.getFirst() : null;
        this.others = hasOwn ? holders.subList(1, holders.size()) : holders;
        this.context = context;
    }

    void begin() {
        begin(WriteRound.first(quorum));
    }

    /** Begins a write that is never stamped anew: its stamp is known to be great enough. */
    void beginOnce() {
        begin(WriteRound.last(quorum));
    }

    private void begin(WriteRound begun) {
        round = begun;
        timestampMicros = context.clock().nextMicros();
        othersAsked = 0;
        ownAsked = own == null;
        if (!ownAsked && context.clock().isProbablyAccepted(timestampMicros)) {
            ownAsked = true;
            new OwnCopy(context.executor(), own, request, timestampMicros, this::receive).write();
        } else {
            step();
        }
    }

    private void step() {
        boolean isLast = ownAsked && othersAsked == others.size();
        if (!answered && round.isDecided() && !decide(isLast)) {
            return;
        }
        if (isLast) {
            end();
        } else {
            askNext();
        }
    }

    /**
     * Asks the next replica. If it cannot be asked, this counts as its answer: further replicas may
     * still store the write.
     */
    private void askNext() {
        Replica next = isOwnNext() ? own : others.get(othersAsked);
        try {
            if (next == own) {
                ownAsked = true;
                context.storeOwn(own, request, timestampMicros, round.isRejected(), this::receive);
            } else {
                othersAsked++;
                next.write(request, timestampMicros, this::receive);
            }
        } catch (RuntimeException | Error e) {
            receive(CoordinatorContext.notAsked(next, request, timestampMicros, e));
        }
    }

    /**
     * Whether this node's copy is next. If other nodes may reject this clock's stamps, this copy
     * has its turn after another replica has accepted the stamp, or after all others have failed.
     */
    private boolean isOwnNext() {
        return !ownAsked && (round.isAccepted() || othersAsked == others.size());
    }

    private void end() {
        if (keepsMemory) {
            keepsMemory = false;
            context.copyMemory().giveBack(request.valueBytes());
            context.remainingCopies().end();
        }
    }

    /**
     * Reserves memory for a write that continues after its answer. Called before the answer, so
     * that a node that stops waits for this write.
     */
    private boolean tryKeepMemory(WriteResult result) {
        List<Replica> rest = others.subList(othersAsked, others.size());
        boolean isPaced = result instanceof WriteResult.Acknowledged && Replica.isAnyBehind(rest);
        if (isPaced || !context.copyMemory().tryTake(request.valueBytes())) {
            return false;
        }
        context.remainingCopies().begin();
        return true;
    }

    private void receive(WriteAnswer answer) {
        try {
            // Even after the client's answer: this answer may decide about this node's copy.
            round.add(answer);
            step();
        } catch (RuntimeException | Error e) {
            end();
            responder.fail(e);
        }
    }

    /**
     * Handles the decided outcome; returns whether to write the remaining copies. A write that has
     * failed is copied, too: some replicas have stored it, and readers may see it.
     */
    private boolean decide(boolean isLast) {
        WriteResult result = round.result();
        if (result instanceof WriteResult.Outdated) {
            context.stampAnew(() -> begin(WriteRound.last(quorum)), responder);
            return false;
        }
        keepsMemory = !isLast && tryKeepMemory(result);
        answered = isLast || keepsMemory;
        if (answered && result instanceof WriteResult.TooFewReplicas few) {
            context.answer(few.failure(), responder);
        } else if (answered) {
            context.acknowledge(request, responder);
        }
        return true;
    }
}
