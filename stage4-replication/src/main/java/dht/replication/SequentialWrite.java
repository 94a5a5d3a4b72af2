package dht.replication;

import dht.http.EntityRequest;
import dht.http.LocalEntityService;
import dht.http.RequestExecutor;
import dht.http.Responder;
import dht.http.Response;
import java.util.List;

/**
 * One write to replicas, one after the other. Answers once it is decided, and goes on with the
 * copies that are left; where there is no memory to keep the value after the answer, the answer
 * waits for them.
 *
 * <p>Goes from thread to thread, one at a time.
 */
final class SequentialWrite {
    private final EntityRequest request;
    private final Responder responder;
    private final Quorum quorum;
    private final List<Replica> holders;
    private final ReplicatedEntityService service;

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
            ReplicatedEntityService service) {
        this.request = request;
        this.responder = responder;
        this.quorum = quorum;
        this.holders = holders;
        this.service = service;
    }

    void begin() {
        begin(WriteRound.first(quorum));
    }

    private void begin(WriteRound first) {
        round = first;
        timestampMicros = service.clock().nextMicros();
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
        } else if (keepsMemory) {
            service.lateMemory().giveBack(valueBytes());
        }
    }

    private void receive(WriteAnswer answer) {
        try {
            if (!answered) {
                round.add(answer);
            }
            step();
        } catch (RuntimeException | Error e) {
            responder.fail(e);
        }
    }

    /** Whether to go on with the copies that are left. */
    private boolean decide(boolean isLast) {
        switch (round.result()) {
            case WriteResult.Acknowledged _ -> {
                keepsMemory = !isLast && service.lateMemory().tryTake(valueBytes());
                answered = isLast || keepsMemory;
                if (answered) {
                    acknowledge();
                }
                return true;
            }
            case WriteResult.Outdated outdated -> {
                stampAnew(outdated.newestMicros());
                return false;
            }
            case WriteResult.TooFewReplicas few -> {
                service.counts().tooFewReplicas();
                few.shortage().answer(responder);
                return false;
            }
        }
    }

    private void acknowledge() {
        service.counts().writeAcknowledged();
        responder.respond(
                request instanceof EntityRequest.Put
                        ? LocalEntityService.CREATED
                        : LocalEntityService.ACCEPTED);
    }

    /** Begins again, in the pool, past what was met. */
    private void stampAnew(long newestMicros) {
        service.counts().stampedAnew();
        try {
            service.clock().observe(newestMicros);
        } catch (StampAheadException e) {
            responder.fail(new IllegalStateException(e));
            return;
        }
        service.executor()
                .resume(
                        new RequestExecutor.Task() {
                            @Override
                            public void run() {
                                try {
                                    begin(WriteRound.last(quorum));
                                } catch (RuntimeException | Error e) {
                                    responder.fail(e);
                                }
                            }

                            @Override
                            public void refuse(Response answer) {
                                responder.respond(answer);
                            }
                        });
    }

    private long valueBytes() {
        return request instanceof EntityRequest.Put put ? put.value().byteSize() : 0;
    }
}
