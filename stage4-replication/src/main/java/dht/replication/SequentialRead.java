package dht.replication;

import dht.http.EntityRequest;
import dht.http.LocalEntityService;
import dht.http.Responder;
import dht.storage.ReadOutcome;
import java.util.List;

/**
 * One read from replicas, one after the other, until it is decided.
 *
 * <p>Goes from thread to thread, one at a time.
 */
final class SequentialRead {
    private final EntityRequest.Get request;
    private final Responder responder;
    private final List<Replica> holders;
    private final ReplicationCounts counts;
    private final ReadRound round;
    private int asked;

    SequentialRead(
            EntityRequest.Get request,
            Responder responder,
            Quorum quorum,
            List<Replica> holders,
            ReplicationCounts counts) {
        this.request = request;
        this.responder = responder;
        this.holders = holders;
        this.counts = counts;
        this.round = new ReadRound(quorum);
    }

    void step() {
        if (round.isDecided()) {
            answer();
        } else {
            holders.get(asked++).read(request, this::receive);
        }
    }

    private void receive(ReadAnswer answer) {
        try {
            round.add(answer);
            step();
        } catch (RuntimeException | Error e) {
            responder.fail(e);
        }
    }

    private void answer() {
        switch (round.result()) {
            case ReadResult.Newest newest -> {
                counts.readAnswered();
                respond(newest.version());
            }
            case ReadResult.TooFewReplicas few -> {
                counts.tooFewReplicas();
                few.shortage().answer(responder);
            }
        }
    }

    private void respond(ReadOutcome newest) {
        switch (newest) {
            case ReadOutcome.Found found -> responder.respond(found);
            case ReadOutcome.Deleted _, ReadOutcome.Absent _ ->
                    responder.respond(LocalEntityService.NOT_FOUND);
        }
    }
}
