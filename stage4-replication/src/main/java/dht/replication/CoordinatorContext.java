package dht.replication;

import dht.http.EntityRequest;
import dht.http.LocalEntityService;
import dht.http.MemoryBudget;
import dht.http.RequestExecutor;
import dht.http.Responder;
import dht.http.Response;
import dht.http.Status;
import dht.storage.ReadOutcome;

/**
 * What a node has for coordinating requests, however it asks the replicas. Thread-safe.
 *
 * @param clock stamps writes
 * @param executor the pool, where work that was begun elsewhere goes on
 * @param lateMemory of values whose further copies are written after the answer
 * @param lateWrites that go on after their answer, replica by replica
 * @param counts of what became of requests
 */
public record CoordinatorContext(
        HybridLogicalClock clock,
        RequestExecutor executor,
        MemoryBudget lateMemory,
        LateWrites lateWrites,
        ReplicationCounts counts) {
    /**
     * With nothing counted yet.
     *
     * @param lateBytesMax that values may take together whose further copies are still written
     */
    public CoordinatorContext(
            HybridLogicalClock clock, RequestExecutor executor, long lateBytesMax) {
        this(
                clock,
                executor,
                new MemoryBudget(lateBytesMax),
                new LateWrites(),
                new ReplicationCounts());
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
     * Begins a write again, in the pool, once the clock is past what it met. Where that is too far
     * ahead to be believed, the replica that holds it counts as one too few.
     *
     * @param again begins it; what it throws is told to the client
     */
    public void stampAnew(long newestMicros, Runnable again, Responder responder) {
        try {
            clock.observe(newestMicros);
        } catch (StampAheadException e) {
            counts.tooFewReplicas();
            responder.respond(
                    Response.of(
                            Status.NOT_ENOUGH_REPLICAS,
                            "a replica holds a newer version: " + e.getMessage()));
            return;
        }
        counts.stampedAnew();
        resume(again, responder);
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

    /** Bytes that a write takes as long as it goes on after its answer. */
    public static long valueBytes(EntityRequest request) {
        return request instanceof EntityRequest.Put put ? put.value().byteSize() : 0;
    }
}
