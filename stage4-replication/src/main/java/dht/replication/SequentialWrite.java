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
    private final List<Replica> holders;
    private final CoordinatorContext context;

    private WriteRound round;
    private long timestampMicros;
    private int asked;
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
        this.holders = holders;
        this.context = context;
    }

    void begin() {
        begin(WriteRound.first(quorum));
    }

    private void begin(WriteRound first) {
        round = first;
        timestampMicros = context.clock().nextMicros();
        asked = 0;
        step();
    }

    private void step() {
        boolean isLast = asked == holders.size();
        if (!answered && round.isDecided() && !decide(isLast)) {
            return;
        }
        if (!isLast) {
            holders.get(asked++).write(request, timestampMicros, this::receive);
        } else {
            end();
        }
    }

    private void end() {
        if (keepsMemory) {
            keepsMemory = false;
            context.lateMemory().giveBack(CoordinatorContext.valueBytes(request));
            context.lateWrites().end();
        }
    }

    /** Before the answer, lest the node stop in between. */
    private boolean tryGoOn() {
        boolean goesOn =
                !Replica.isAnyBehind(holders.subList(asked, holders.size()))
                        && context.lateMemory().tryTake(CoordinatorContext.valueBytes(request));
        if (goesOn) {
            context.lateWrites().begin();
        }
        return goesOn;
    }

    private void receive(WriteAnswer answer) {
        try {
            if (!answered) {
                round.add(answer);
            }
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
            case WriteResult.Outdated outdated -> {
                context.stampAnew(
                        outdated.newestMicros(), () -> begin(WriteRound.last(quorum)), responder);
                return false;
            }
            case WriteResult.TooFewReplicas few -> {
                context.answer(few.failure(), responder);
                return false;
            }
        }
    }
}
