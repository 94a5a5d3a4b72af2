package dht.replication;

import dht.http.EntityRequest;
import dht.http.OwnedBytes;
import dht.http.Responder;
import dht.http.Response;
import dht.storage.ReadOutcome;
import java.util.List;
import java.util.function.Consumer;

/**
 * The second half of an atomic read: writes the version that the read returns to more replicas,
 * until {@code ack} replicas have it. Then it answers the read. A later read asks at least one of
 * these replicas, if the {@code ack} of both reads together exceed {@code from}. The version keeps
 * its stamp, so it does not replace a newer version. Replicas that have answered with this very
 * version count, and are not written to.
 *
 * <p>This is the algorithm of H. Attiya, A. Bar-Noy and D. Dolev, "Sharing memory robustly in
 * message-passing systems", Journal of the ACM 42, 1995. There each read writes the version back.
 * Here a read does so only if the answers of the quorum were different versions, which is rare.
 * Otherwise the version is already where it must be.
 *
 * <p>Thread-safe: answers may arrive on any thread.
 */
public final class WriteBack implements Poll.Listener {
    private static final Response NO_MEMORY =
            Response.unavailable("no memory to write the version to more replicas");

    private final Responder responder;
    private final CoordinatorContext context;
    private final ReadResult.Newest read;
    private final long timestampMicros;
    private final long valueBytes;

    private WriteBack(Responder responder, CoordinatorContext context, ReadResult.Newest read) {
        this.responder = responder;
        this.context = context;
        this.read = read;
        switch (read.version()) {
            case ReadOutcome.Found found -> {
                timestampMicros = found.timestampMicros();
                valueBytes = found.value().byteSize();
            }
            case ReadOutcome.Deleted deleted -> {
                timestampMicros = deleted.timestampMicros();
                valueBytes = 0;
            }
            case ReadOutcome.Absent _ ->
                    throw new IllegalArgumentException("nothing to write back");
        }
    }

    /**
     * Answers the client of a read, after a write-back if the read needs one.
     *
     * @param round the answers of the replicas, which have decided the read
     * @param result the outcome of the round; this method makes sure that its version is closed
     * @param replicas all replicas of the key
     * @param atOnce how many replicas are written to at the same time
     */
    public static void answer(
            EntityRequest.Get request,
            Responder responder,
            CoordinatorContext context,
            ReadRound round,
            ReadResult result,
            List<Replica> replicas,
            int atOnce) {
        if (result instanceof ReadResult.Newest newest && !round.isConfirmed()) {
            of(newest, responder, context)
                    .begin(request.key(), round.confirmation(), replicas, atOnce);
        } else {
            context.answer(result, responder);
        }
    }

    private static WriteBack of(
            ReadResult.Newest read, Responder responder, CoordinatorContext context) {
        try {
            return new WriteBack(responder, context, read);
        } catch (RuntimeException | Error e) {
            read.version().close();
            throw e;
        }
    }

    private void begin(byte[] key, Confirmation confirmation, List<Replica> replicas, int atOnce) {
        context.counts().writtenBack();
        if (!context.copyMemory().tryTake(valueBytes)) {
            read.version().close();
            responder.respond(NO_MEMORY);
            return;
        }
        Poll poll;
        try {
            poll = poll(key, confirmation, replicas);
        } catch (RuntimeException | Error e) {
            ended();
            failed(e);
            return;
        }
        poll.begin(atOnce);
    }

    private Poll poll(byte[] key, Confirmation confirmation, List<Replica> replicas) {
        int from = PlacementRecord.recorded(replicas.size(), context.nodeCount());
        EntityRequest write = write(key).withFrom(from);
        return new Poll(
                confirmation.lacking(replicas),
                confirmation.writeBack(),
                (replica, receiver) -> write(replica, write, receiver),
                this);
    }

    /** The write of this version, with a copy of the value: the read may end before the writes. */
    private EntityRequest write(byte[] key) {
        if (!(read.version() instanceof ReadOutcome.Found found)) {
            return new EntityRequest.Delete(key, null);
        }
        return new EntityRequest.Put(key, OwnedBytes.copyOf(found), null);
    }

    private void write(Replica replica, EntityRequest write, Consumer<WriteAnswer> receiver) {
        if (replica instanceof LocalReplica own) {
            new OwnCopy(context.executor(), own, write, timestampMicros, receiver).continueInPool();
        } else {
            replica.write(write, timestampMicros, receiver);
        }
    }

    @Override
    public void decided(WriteResult result) {
        try {
            switch (result) {
                case WriteResult.Acknowledged _, WriteResult.Outdated _ ->
                        context.answer(read, responder);
                case WriteResult.TooFewReplicas few -> {
                    read.version().close();
                    context.answer(few.failure(), responder);
                }
            }
        } catch (RuntimeException | Error e) {
            responder.fail(e);
        }
    }

    @Override
    public void failed(Throwable reason) {
        try {
            read.version().close();
        } catch (RuntimeException | Error _) { // The client gets the first reason.
        }
        responder.fail(reason);
    }

    @Override
    public void ended() {
        context.copyMemory().giveBack(valueBytes);
    }
}
