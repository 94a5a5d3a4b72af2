package dht.replication;

import dht.http.EntityRequest;
import dht.http.Responder;
import java.util.List;

/**
 * One write to replicas, one after the other. Answers once it is decided, and goes on with the
 * copies that are left. The answer waits for these where there is no memory to keep the value after
 * it, or where a replica is behind: else that one would fall further behind, until it refuses.
 *
 * <p>Goes from thread to thread, one at a time.
 */
final class SequentialWrite {
    private final EntityRequest request;
    private final Responder responder;
    private final Quorum quorum;
    private final Replica own; // Null where this node has no copy, or the only one.
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

    private void begin(WriteRound first) {
        round = first;
        timestampMicros = context.clock().nextMicros();
        othersAsked = 0;
        ownAsked = own == null;
        if (!ownAsked && context.clock().isBelieved(timestampMicros)) {
            ownAsked = true;
            own.write(request, timestampMicros, this::receive);
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
        } else if (isOwnNext()) {
            ownAsked = true;
            context.storeOwn(own, request, timestampMicros, round, this::receive);
        } else {
            others.get(othersAsked++).write(request, timestampMicros, this::receive);
        }
    }

    /** This node's copy waits for another one, where its clock may be one that nobody believes. */
    private boolean isOwnNext() {
        return !ownAsked && (round.isBelieved() || othersAsked == others.size());
    }

    private void end() {
        if (keepsMemory) {
            keepsMemory = false;
            context.lateMemory().giveBack(request.valueBytes());
            context.lateWrites().end();
        }
    }

    /** Before the answer, lest the node stop in between. */
    private boolean tryGoOn() {
        boolean goesOn =
                !Replica.isAnyBehind(others.subList(othersAsked, others.size()))
                        && context.lateMemory().tryTake(request.valueBytes());
        if (goesOn) {
            context.lateWrites().begin();
        }
        return goesOn;
    }

    private void receive(WriteAnswer answer) {
        try {
            round.add(answer); // Also after the client's answer: this node's copy may wait for it.
            step();
        } catch (RuntimeException | Error e) {
            end();
            responder.fail(e);
        }
    }

    /** Whether to go on with the copies that are left. */
    private boolean decide(boolean isLast) {
        switch (round.result()) {
            case WriteResult.Acknowledged _ -> {
                keepsMemory = !isLast && tryGoOn();
                answered = isLast || keepsMemory;
                if (answered) {
                    context.acknowledge(request, responder);
                }
                return true;
            }
            case WriteResult.Outdated _ -> {
                context.stampAnew(() -> begin(WriteRound.last(quorum)), responder);
                return false;
            }
            case WriteResult.TooFewReplicas few -> {
                context.answer(few.failure(), responder);
                return false;
            }
        }
    }
}
