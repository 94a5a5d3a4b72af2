package dht.replication.async;

import dht.http.EntityRequest;
import dht.http.Responder;
import dht.replication.Coordination;
import dht.replication.Quorum;
import dht.replication.Replica;
import dht.replication.WriteAnswer;
import dht.replication.WriteResult;
import dht.replication.WriteRound;
import java.util.List;

/**
 * One write to all replicas at once. Answers once it is decided; what comes then is only counted.
 * Where there is no memory to keep the value after the answer, or where a replica is behind, the
 * answer waits until all have it or have failed: so no write is faster for long than the slowest
 * replica that answers.
 *
 * <p>Thread-safe: answers come on any thread.
 */
final class ParallelWrite {
    private final EntityRequest request;
    private final Responder responder;
    private final Quorum quorum;
    private final List<Replica> replicas;
    private final Coordination coordination;

    // Guarded by this.
    private WriteRound round;
    private boolean decided;
    private int awaited;
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
            Coordination coordination) {
        this.request = request;
        this.responder = responder;
        this.quorum = quorum;
        this.replicas = replicas;
        this.coordination = coordination;
    }

    void begin() {
        begin(WriteRound.first(quorum));
    }

    private void begin(WriteRound begun) {
        synchronized (this) {
            round = begun;
            decided = false;
            awaited += replicas.size(); // With a second round, those of the first may still come.
        }
        long timestampMicros = coordination.clock().nextMicros();
        for (Replica replica : replicas) {
            replica.write(request, timestampMicros, answer -> receive(begun, answer));
        }
    }

    private void receive(WriteRound of, WriteAnswer answer) {
        WriteResult result;
        synchronized (this) {
            awaited--;
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
        if (awaited == 0 && keepsMemory) {
            keepsMemory = false;
            coordination.lateMemory().giveBack(Coordination.valueBytes(request));
        }
        WriteResult released = awaited == 0 ? waiting : null;
        waiting = awaited == 0 ? null : waiting;
        return released;
    }

    private WriteResult settle(WriteResult result) {
        if (result instanceof WriteResult.Outdated || awaited == 0) {
            return result;
        }
        boolean isPaced =
                result instanceof WriteResult.Acknowledged && Replica.isAnyBehind(replicas);
        keepsMemory =
                !isPaced && coordination.lateMemory().tryTake(Coordination.valueBytes(request));
        waiting = keepsMemory ? null : result;
        return keepsMemory ? result : null;
    }

    private void act(WriteResult result) {
        try {
            switch (result) {
                case WriteResult.Acknowledged _ -> coordination.acknowledge(request, responder);
                case WriteResult.TooFewReplicas few ->
                        coordination.answer(few.shortage(), responder);
                case WriteResult.Outdated outdated ->
                        coordination.stampAnew(
                                outdated.newestMicros(),
                                () -> begin(WriteRound.last(quorum)),
                                responder);
            }
        } catch (RuntimeException | Error e) {
            responder.fail(e);
        }
    }
}
