package dht.replication;

import dht.http.EntityRequest;
import dht.http.LocalEntityService;
import dht.http.MemoryBudget;
import dht.http.RequestExecutor;
import dht.http.Responder;
import dht.http.Response;
import dht.storage.ReadOutcome;
import java.util.function.Consumer;

/**
 * What a node has for coordinating requests, however it asks the replicas. Thread-safe.
 *
 * @param clock stamps writes
 * @param executor the pool, where work that was begun elsewhere goes on
 * @param lateMemory of values whose further copies are written after the answer
 * @param lateWrites that go on after their answer, replica by replica
 * @param counts of what became of requests
 * @param healing hears of replicas that lack a version
 */
public record CoordinatorContext(
        HybridLogicalClock clock,
        RequestExecutor executor,
        MemoryBudget lateMemory,
        LateWrites lateWrites,
        ReplicationCounts counts,
        Healing healing) {
    private static final ReplicaFailure UNBELIEVED =
            new ReplicaFailure(
                    "this node", "did not store it: other nodes do not believe its clock");
    private static final ReplicaFailure STOPPING =
            new ReplicaFailure("this node", "takes no more work: it stops");

    /**
     * With nothing counted yet.
     *
     * @param lateBytesMax that values may take together whose further copies are still written
     */
    public CoordinatorContext(
            HybridLogicalClock clock,
            RequestExecutor executor,
            long lateBytesMax,
            Healing healing) {
        this(
                clock,
                executor,
                new MemoryBudget(lateBytesMax),
                new LateWrites(),
                new ReplicationCounts(),
                healing);
    }

    /** Tells the client what a read has come to. */
    public void answer(ReadResult result, Responder responder) {
        switch (result) {
            case ReadResult.VersionOrder newest -> {
                counts.readAnswered();
                respond(newest.version(), responder);
            }
            case ReadResult.TooFewReplicas few -> answer(few.failure(), responder);
        }
    }

    /** Has a key healed if its replicas have answered different versions. */
    public void heal(byte[] key, int from, Agreement agreement) {
        if (agreement.tryTell()) {
            healing.divided(key, from);
        }
    }

    private static void respond(ReadOutcome newest, Responder responder) {
        switch (newest) {
            case ReadOutcome.Found found -> responder.respond(found);
            case ReadOutcome.Deleted _, ReadOutcome.Absent _ ->
                    responder.respond(LocalEntityService.NOT_FOUND);
        }
    }

    /** Tells the client that its write is kept by enough replicas. */
    public void acknowledge(EntityRequest request, Responder responder) {
        counts.writeAcknowledged();
        responder.respond(
                request instanceof EntityRequest.Put
                        ? LocalEntityService.CREATED
                        : LocalEntityService.ACCEPTED);
    }

    /** Tells the client that too few replicas did what they were asked. */
    public void answer(QuorumFailure failure, Responder responder) {
        counts.tooFewReplicas();
        failure.answer(responder);
    }

    /**
     * Begins a write again, in the pool. The clock is past the newer version that it met: the
     * answer that named it has moved the clock.
     *
     * @param again begins it; what it throws is reported to the client
     */
    public void stampAnew(Runnable again, Responder responder) {
        counts.stampedAnew();
        resume(again, responder);
    }

    /**
     * Has this node's own copy made in the pool, where a thread may wait for the storage.
     *
     * @param round what the other replicas have answered: a stamp that they reject is not stored,
     *     or this node would hold a version that no other node believes
     */
    public void storeOwn(
            Replica own,
            EntityRequest request,
            long timestampMicros,
            WriteRound round,
            Consumer<WriteAnswer> receiver) {
        if (round.isRejected()) {
            receiver.accept(new WriteAnswer.Rejected(UNBELIEVED));
            return;
        }
        executor.resume(
                new RequestExecutor.Task() {
                    @Override
                    public void run() {
                        own.write(request, timestampMicros, receiver);
                    }

                    @Override
                    public void refuse(Response answer) {
                        receiver.accept(new WriteAnswer.Failed(STOPPING));
                    }
                });
    }

    private void resume(Runnable again, Responder responder) {
        executor.resume(
                new RequestExecutor.Task() {
                    @Override
                    public void run() {
                        try {
                            again.run();
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
}
