package dht.replication;

import dht.http.EntityRequest;
import dht.http.Router;
import dht.http.Status;
import dht.peer.Peer;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.Answered;
import dht.peer.RemoteNode;
import dht.storage.ReadOutcome;
import java.util.function.Consumer;

/**
 * The copies of another node, which are read and written through its {@link RemoteNode}. Each stamp
 * in an answer moves this node's clock.
 *
 * <p>On the wire, under {@value Peer#ENTITY_PATH}:
 *
 * <pre>
 *   GET    ?id=K              200 value, 404 tombstone: with Timestamp-Micros: STAMP
 *                             404 without this header: no version
 *   GET    ?id=K&amp;timestamp=S  404: with Timestamp-Micros if the node has a version at least as new
 *   PUT    ?id=K&amp;timestamp=S  201: with Timestamp-Micros if the node had a version at least as new
 *   DELETE ?id=K&amp;timestamp=S  202: with Timestamp-Micros if the node had a version at least as new
 * </pre>
 *
 * A write of a version that not all nodes hold has {@code &amp;from=F}, too.
 *
 * <p>Described in docs/reference/http.md. Thread-safe.
 */
public final class PeerReplica implements Replica {
    static final String TIMESTAMP_HEADER = "Timestamp-Micros: ";

    private final RemoteNode peer;
    private final ReadAnswer notRead; // Created now: later there may be no memory for it.
    private final WriteAnswer notWritten;
    private final HybridLogicalClock clock;
    private final Healing healing;

    /**
     * @param healing is notified of writes that the node has not stored
     */
    public PeerReplica(RemoteNode peer, HybridLogicalClock clock, Healing healing) {
        this.peer = peer;
        ReplicaFailure unusable = new ReplicaFailure(node(), "its answer could not be used");
        this.notRead = new ReadAnswer.Failed(unusable);
        this.notWritten = new WriteAnswer.Failed(unusable);
        this.clock = clock;
        this.healing = healing;
    }

    @Override
    public void read(EntityRequest.Get request, Consumer<ReadAnswer> receiver) {
        peer.ask(request, 0, answer -> receiver.accept(readAnswer(answer)));
    }

    private ReadAnswer readAnswer(PeerAnswer answer) {
        try {
            return taken(answer);
        } catch (RuntimeException | Error e) {
            // For example, there is no memory for the object that describes the value.
            CoordinatorContext.log(e);
            return notRead;
        }
    }

    private ReadAnswer taken(PeerAnswer answer) {
        if (!(answer instanceof Answered answered)) {
            return new ReadAnswer.Failed(failure(answer));
        }
        boolean isFound = answered.status() == Status.OK.code();
        boolean isVersion = isFound || answered.status() == Status.NOT_FOUND.code();
        if (isVersion && answered.timestampMicros() > 0) {
            return observed(answered, isFound);
        }
        answered.release();
        return isVersion && !isFound
                ? new ReadAnswer.Looked(ReadOutcome.Absent.INSTANCE)
                : new ReadAnswer.Failed(failure(answered));
    }

    /** Turns an answer with a stamp into a version. Releases the body if it is not needed. */
    private ReadAnswer observed(Answered answered, boolean isFound) {
        boolean isTakenOver = false;
        try {
            clock.observe(answered.timestampMicros());
            ReadOutcome version =
                    isFound
                            ? answered.found()
                            : new ReadOutcome.Deleted(answered.timestampMicros());
            ReadAnswer looked = new ReadAnswer.Looked(version);
            isTakenOver = isFound;
            return looked;
        } catch (StampAheadException e) {
            return new ReadAnswer.Failed(new ReplicaFailure(node(), e.getMessage()));
        } finally {
            if (!isTakenOver) {
                answered.release();
            }
        }
    }

    @Override
    public void findNewer(byte[] key, long timestampMicros, Consumer<WriteAnswer> receiver) {
        peer.ask(
                new EntityRequest.Get(key, null),
                timestampMicros,
                answer -> receiver.accept(newerAnswer(answer, timestampMicros)));
    }

    private WriteAnswer newerAnswer(PeerAnswer answer, long timestampMicros) {
        try {
            return newer(answer, timestampMicros);
        } catch (RuntimeException | Error e) {
            // For example, there is no memory for the reason of a failure.
            CoordinatorContext.log(e);
            return notWritten;
        }
    }

    private WriteAnswer newer(PeerAnswer answer, long timestampMicros) {
        answer.release();
        boolean isKnown =
                answer instanceof Answered answered
                        && (answered.status() == Status.OK.code()
                                || answered.status() == Status.NOT_FOUND.code());
        if (!isKnown) {
            return new WriteAnswer.Failed(failure(answer));
        }
        // A node of an earlier release sends the value, with any stamp.
        long newestMicros = ((Answered) answer).timestampMicros();
        return newestMicros < timestampMicros
                ? WriteAnswer.Stored.INSTANCE
                : superseded(newestMicros);
    }

    @Override
    public void write(EntityRequest request, long timestampMicros, Consumer<WriteAnswer> receiver) {
        peer.ask(
                request,
                timestampMicros,
                answer -> {
                    WriteAnswer outcome = writeAnswer(answer, timestampMicros);
                    try {
                        if (outcome instanceof WriteAnswer.Failed failed && !failed.isStored()) {
                            noteMissed(request, timestampMicros);
                        }
                    } finally {
                        receiver.accept(outcome);
                    }
                });
    }

    @Override
    public void noteMissed(EntityRequest write, long timestampMicros) {
        healing.missed(peer.address(), write, timestampMicros);
    }

    @Override
    public boolean isBehind() {
        return peer.isBehind();
    }

    private WriteAnswer writeAnswer(PeerAnswer answer, long timestampMicros) {
        try {
            return counted(answer, timestampMicros);
        } catch (RuntimeException | Error e) { // As above.
            CoordinatorContext.log(e);
            return notWritten;
        }
    }

    private WriteAnswer counted(PeerAnswer answer, long timestampMicros) {
        if (!(answer instanceof Answered answered)) {
            return new WriteAnswer.Failed(failure(answer));
        }
        answered.hold().release();
        boolean isStored =
                answered.status() == Status.CREATED.code()
                        || answered.status() == Status.ACCEPTED.code();
        if (!isStored) {
            return isAboutStamp(answered)
                    ? new WriteAnswer.Rejected(failure(answered))
                    : new WriteAnswer.Failed(failure(answered));
        }
        clock.noteAccepted(timestampMicros);
        return answered.timestampMicros() == 0
                ? WriteAnswer.Stored.INSTANCE
                : superseded(answered.timestampMicros());
    }

    /**
     * A node of an earlier stage does not know each path. It may be replaced by a node that does,
     * and then accept the stamp.
     */
    private static boolean isAboutStamp(Answered refusal) {
        return refusal.status() == Status.BAD_REQUEST.code()
                && !refusal.firstLine().equals(Router.UNKNOWN_PATH_LINE);
    }

    /**
     * The replica had a version that is at least as new. If that version's stamp is too far ahead,
     * this counts as a failure: readers of that replica see that version and not the write.
     */
    private WriteAnswer superseded(long newestMicros) {
        try {
            clock.observe(newestMicros);
            return new WriteAnswer.Superseded(newestMicros);
        } catch (StampAheadException e) {
            return new WriteAnswer.Failed(
                    new ReplicaFailure(node(), "holds a newer version: " + e.getMessage()), true);
        }
    }

    private ReplicaFailure failure(PeerAnswer answer) {
        return new ReplicaFailure(node(), reason(answer));
    }

    private static String reason(PeerAnswer answer) {
        return answer instanceof Answered answered
                ? answered.description() + ": " + answered.firstLine()
                : answer.description();
    }

    private String node() {
        return peer.address().url();
    }
}
