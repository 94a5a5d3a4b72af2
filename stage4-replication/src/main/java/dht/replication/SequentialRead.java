package dht.replication;

import dht.http.EntityRequest;
import dht.http.Responder;
import java.util.List;

/**
 * One read that asks replicas one after the other, until its outcome is decided.
 *
 * <p>Used by several threads, one at a time.
 */
final class SequentialRead {
    private final EntityRequest.Get request;
    private final Responder responder;
    private final List<Replica> holders;
    private final CoordinatorContext context;
    private final ReadRound round;
    private final Agreement agreement = new Agreement();
    private int asked;
    private boolean isOver;

    SequentialRead(
            EntityRequest.Get request,
            Responder responder,
            Quorum quorum,
            RegisterKind kind,
            List<Replica> holders,
            CoordinatorContext context) {
        this.request = request;
        this.responder = responder;
        this.holders = holders;
        this.context = context;
        this.round = new ReadRound(quorum, kind);
    }

    void step() {
        if (round.isDecided()) {
            ReadResult result = round.result();
            isOver = true;
            WriteBack.answer(request, responder, context, round, result, holders, 1);
            context.heal(request.key(), holders.size(), agreement);
        } else {
            holders.get(asked++).read(request, this::receive);
        }
    }

    private void receive(ReadAnswer answer) {
        try {
            agreement.add(answer);
            round.add(holders.get(asked - 1), answer);
            step();
        } catch (RuntimeException | Error e) {
            try {
                abandon();
            } finally { // Nothing else would answer the client.
                responder.fail(e);
            }
        }
    }

    private void abandon() {
        if (!isOver) {
            isOver = true;
            round.abandon();
        }
    }
}
