package dht.replication.async;

import dht.http.EntityRequest;
import dht.http.Responder;
import dht.replication.CoordinatorContext;
import dht.replication.Quorum;
import dht.replication.Replica;
import dht.replication.WriteAnswer;
import dht.replication.WriteResult;
import dht.replication.WriteRound;
import java.util.ArrayList;
import java.util.List;

/**
 * One write to all replicas at once. Answers once it is decided; what comes then is only counted.
 * The answer waits while there is no memory to keep the value after it, or while one of those that
 * have not answered yet is behind: so no write is faster for long than the slowest replica that
 * does answer.
 *
 * <p>Thread-safe: answers come on any thread.
 */
final class ParallelWrite {
    private final EntityRequest request;
    private final Responder responder;
    private final Quorum quorum;
    private final List<Replica> replicas;
    private final CoordinatorContext context;

    // Guarded by this.
    private WriteRound round;
    private boolean decided;
    private final List<Replica> awaited; // With a second round, some of them twice.
    private WriteResult waiting; // Null unless the answer waits for the copies that are left.
    private boolean keepsMemory;

    /**
     * @param replicas in the order in which they are asked
     */
    ParallelWrite(
            EntityRequest request,
            Responder responder,
            Quorum quorum,
            List<Replica> replicas,
            CoordinatorContext context) {
        this.request = request;
        this.responder = responder;
        this.quorum = quorum;
        this.replicas = replicas;
        this.context = context;
        this.awaited = new ArrayList<>(replicas.size());
    }

    void begin() {
        begin(WriteRound.first(quorum));
    }

    private void begin(WriteRound begun) {
        synchronized (this) {
            round = begun;
            decided = false;
            awaited.addAll(replicas); // With a second round, those of the first may still come.
        }
        long timestampMicros = context.clock().nextMicros();
        for (Replica replica : replicas) {
            replica.write(request, timestampMicros, answer -> receive(begun, replica, answer));
        }
    }

    private void receive(WriteRound of, Replica from, WriteAnswer answer) {
        WriteResult result;
        synchronized (this) {
            awaited.remove(from);
            result = decide(of, answer);
        }
        if (result != null) {
            act(result);
        }
    }

    /** What is to be done now, or null. */
    private WriteResult decide(WriteRound of, WriteAnswer answer) {
        if (of == round && !decided) {
            round.add(answer);
            decided = round.isDecided();
            return decided ? settle(round.result()) : null;
        }
        if (awaited.isEmpty() && keepsMemory) {
            keepsMemory = false;
            context.lateMemory().giveBack(CoordinatorContext.valueBytes(request));
        }
        return waiting == null ? null : settle(waiting);
    }

    private WriteResult settle(WriteResult result) {
        boolean isNow =
                result instanceof WriteResult.Outdated || awaited.isEmpty() || tryGoOn(result);
        waiting = isNow ? null : result;
        return isNow ? result : null;
    }

    /** Whether those that are awaited may answer after the client was answered. */
    private boolean tryGoOn(WriteResult result) {
        boolean isPaced =
                result instanceof WriteResult.Acknowledged && Replica.isAnyBehind(awaited);
        keepsMemory =
                !isPaced && context.lateMemory().tryTake(CoordinatorContext.valueBytes(request));
        return keepsMemory;
    }

    private void act(WriteResult result) {
        try {
            switch (result) {
                case WriteResult.Acknowledged _ -> context.acknowledge(request, responder);
                case WriteResult.TooFewReplicas few -> context.answer(few.failure(), responder);
                case WriteResult.Outdated outdated ->
                        context.stampAnew(
                                outdated.newestMicros(),
                                () -> begin(WriteRound.last(quorum)),
                                responder);
            }
        } catch (RuntimeException | Error e) {
            responder.fail(e);
        }
    }
}
