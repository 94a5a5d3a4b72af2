package dht.replication;

import dht.http.EntityRequest;
import dht.http.ErrorLog;
import dht.http.HttpOptions;
import dht.http.LocalEntityService;
import dht.http.MemoryBudget;
import dht.http.RequestExecutor;
import dht.http.Responder;
import dht.http.Response;
import dht.storage.ReadOutcome;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The objects that a node uses for all requests that it coordinates, with any kind of fan-out.
 * Thread-safe.
 *
 * @param nodeCount the number of nodes in the cluster
 * @param clock stamps writes
 * @param executor the pool, which continues work that other threads have begun
 * @param copyMemory limits the memory for the values of remaining copies and write-backs
 * @param remainingCopies counts the writes that make remaining copies, one replica after the other
 * @param counts counts the outcomes of requests
 * @param healing is notified of replicas that may lack a version
 */
public record CoordinatorContext(
        int nodeCount,
        HybridLogicalClock clock,
        RequestExecutor executor,
        MemoryBudget copyMemory,
        RemainingCopies remainingCopies,
        ReplicationCounts counts,
        Healing healing) {
    private static final ReplicaFailure STAMP_REJECTED =
            new ReplicaFailure(
                    "this node",
                    "did not store the write: other nodes have rejected its stamp: compare the clocks of the nodes");

    /**
     * Why a replica could not be asked. Created now, because later there may be no memory for it.
     */
    public static final ReplicaFailure COULD_NOT_ASK =
            new ReplicaFailure(
                    "this node",
                    "could not ask a replica: it has no memory, or has failed: see its log");

    private static final WriteAnswer NOT_ASKED = new WriteAnswer.Failed(COULD_NOT_ASK);
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorContext.class);

    /**
     * Creates a context with new counters.
     *
     * @param copyBytesMax the limit in bytes for {@code copyMemory}
     */
    public CoordinatorContext(
            int nodeCount,
            HybridLogicalClock clock,
            RequestExecutor executor,
            long copyBytesMax,
            Healing healing) {
        this(
                nodeCount,
                clock,
                executor,
                new MemoryBudget(copyBytesMax),
                new RemainingCopies(),
                new ReplicationCounts(),
                healing);
    }

    /**
     * Creates a context whose {@code copyMemory} is half of the memory of connections.
     *
     * @param http limits the memory of connections
     */
    public CoordinatorContext(
            int nodeCount,
            HybridLogicalClock clock,
            RequestExecutor executor,
            HttpOptions http,
            Healing healing) {
        this(nodeCount, clock, executor, http.connectionMemoryBytesMax() / 2, healing);
    }

    /** Answers the client with the outcome of a read. */
    public void answer(ReadResult result, Responder responder) {
        switch (result) {
            case ReadResult.Newest newest -> {
                counts.readAnswered();
                respond(newest.version(), responder);
            }
            case ReadResult.TooFewReplicas few -> answer(few.failure(), responder);
        }
    }

    /**
     * Notifies {@code healing} if the replicas of a key have answered with different versions. One
     * request notifies at most once.
     */
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

    /** Answers the client: enough replicas have stored its write. */
    public void acknowledge(EntityRequest request, Responder responder) {
        counts.writeAcknowledged();
        responder.respond(
                request instanceof EntityRequest.Put
                        ? LocalEntityService.CREATED
                        : LocalEntityService.ACCEPTED);
    }

    /** Answers the client: too few replicas have succeeded. */
    public void answer(QuorumFailure failure, Responder responder) {
        counts.tooFewReplicas();
        failure.answer(responder);
    }

    /**
     * Starts a write again with a new stamp, in the pool. A replica has answered with the stamp of
     * a newer version, and this answer has moved the clock. So the new stamp is greater than the
     * stamp of that version.
     *
     * @param again starts the write; if it throws, the client gets an error
     */
    public void stampAnew(Runnable again, Responder responder) {
        counts.stampedAnew();
        continueInPool(again, responder);
    }

    /**
     * Writes this node's own copy on a thread of the pool, which may wait for the storage.
     *
     * @param isRejected whether the other replicas reject the stamp. Then this node does not store
     *     the write either, because it would have a version that no other node accepts, and the
     *     receiver runs at once
     */
    public void storeOwn(
            Replica own,
            EntityRequest request,
            long timestampMicros,
            boolean isRejected,
            Consumer<WriteAnswer> receiver) {
        if (isRejected) {
            receiver.accept(new WriteAnswer.Rejected(STAMP_REJECTED));
        } else {
            new OwnCopy(executor, own, request, timestampMicros, receiver).continueInPool();
        }
    }

    /**
     * The answer to a write, for a replica that could not be asked. The replica may lack the write,
     * so it is noted for healing. Throws nothing.
     *
     * @param reason what was thrown when the replica was asked
     */
    public static WriteAnswer notAsked(
            Replica replica, EntityRequest write, long timestampMicros, Throwable reason) {
        log(reason);
        try {
            replica.noteMissed(write, timestampMicros);
        } catch (RuntimeException | Error e) { // A comparison of both nodes brings the write.
            log(e);
        }
        return NOT_ASKED;
    }

    /**
     * Logs a failure of this node's own code, unless memory is exhausted: any other failure is a
     * bug. Throws nothing.
     */
    public static void log(Throwable failure) {
        if (!(failure instanceof OutOfMemoryError)) {
            ErrorLog.log(LOG, "a request to a replica has failed on this node", failure);
        }
    }

    /**
     * Continues a request in the pool.
     *
     * @param next if it throws, the client gets an error
     */
    void continueInPool(Runnable next, Responder responder) {
        executor.resume(
                new RequestExecutor.Task() {
                    @Override
                    public void run() {
                        try {
                            next.run();
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
