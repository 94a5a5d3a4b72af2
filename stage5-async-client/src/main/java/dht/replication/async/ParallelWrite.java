package dht.replication.async;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.http.EntityRequest;
import dht.http.Responder;
import dht.peer.TimeoutQueue;
import dht.replication.CoordinatorContext;
import dht.replication.Quorum;
import dht.replication.Replica;
import dht.replication.WriteAnswer;
import dht.replication.WriteResult;
import dht.replication.WriteRound;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One write to all replicas at the same time. Answers the client when the outcome is decided. Later
 * answers change nothing for the client. In two cases the client waits for further answers. First:
 * there is no memory to keep the value after the answer. Second: the write has succeeded, but a
 * replica that has not answered yet is behind. Because of the second case, a client cannot write
 * for long faster than the slowest replica that still answers. A replica that falls silent is no
 * longer behind. So a write that waits is checked again and again, also while no answer arrives.
 *
 * <p>Thread-safe: answers may arrive on any thread.
 */
final class ParallelWrite {
    /** How long a write waits for an answer before it is checked without one. */
    static final Duration RECHECK_DELAY = Duration.ofMillis(20);

    private final EntityRequest request;
    private final Responder responder;
    private final Quorum quorum;
    // Null if this node has no copy, or the only copy. The only copy is in others.
    private final Replica own;
    private final List<Replica> others;
    private final CoordinatorContext context;
    private final TimeoutQueue rechecks;

    @GuardedBy("this")
    private WriteRound round;

    @GuardedBy("this")
    private boolean decided;

    @GuardedBy("this")
    private final List<Replica> awaited; // In a second round, a replica may be in it twice.

    @GuardedBy("this")
    private WriteResult waiting; // Null unless the client waits for further answers.

    @GuardedBy("this")
    private Recheck recheck; // Null until the client waits for further answers.

    @GuardedBy("this")
    private boolean keepsMemory;

    /**
     * True while this node's copy waits: if other nodes may reject this clock's stamps, the copy
     * has its turn after another replica has accepted the stamp, or after all others have failed.
     */
    @GuardedBy("this")
    private boolean ownWaits;

    @GuardedBy("this")
    private long timestampMicros; // The stamp of the current round.

    /**
     * @param own this node's copy, or null
     * @param others the replicas of other nodes, in the order in which they are asked
     * @param rechecks for writes that wait
     */
    ParallelWrite(
            EntityRequest request,
            Responder responder,
            Quorum quorum,
            Replica own,
            List<Replica> others,
            CoordinatorContext context,
            TimeoutQueue rechecks) {
        this.request = request;
        this.responder = responder;
        this.quorum = quorum;
        this.own = own;
        this.others = others;
        this.context = context;
        this.rechecks = rechecks;
        this.awaited = new ArrayList<>(quorum.from());
    }

    void begin() {
        begin(WriteRound.first(quorum));
    }

    /** Begins a write that is never stamped anew: its stamp is known to be great enough. */
    void beginOnce() {
        begin(WriteRound.last(quorum));
    }

    private void begin(WriteRound begun) {
        long stamp = context.clock().nextMicros();
        boolean isAccepted = context.clock().isProbablyAccepted(stamp);
        synchronized (this) {
            round = begun;
            decided = false;
            timestampMicros = stamp;
            ownWaits = own != null && !isAccepted;
            awaited.addAll(others); // In a second round, answers of the first one may still arrive.
            if (own != null) {
                awaited.add(own);
            }
        }
        for (int i = 0; i < others.size(); i++) { // An iterator would need memory.
            ask(begun, others.get(i), stamp);
        }
        // Last: the others work at the same time. And a thread that syncs this copy does not have
        // to ask another node.
        if (own != null && isAccepted) {
            ask(begun, own, stamp);
        }
    }

    /**
     * Asks a replica. If it cannot be asked, this counts as its answer, because requests to the
     * other replicas may already be under way.
     */
    private void ask(WriteRound of, Replica replica, long stamp) {
        try {
            replica.write(request, stamp, answer -> receive(of, replica, answer));
        } catch (RuntimeException | Error e) {
            receive(of, replica, CoordinatorContext.notAsked(replica, request, stamp, e));
        }
    }

    /** Throws nothing. */
    private void receive(WriteRound of, Replica from, WriteAnswer answer) {
        WriteResult result = null;
        WriteRound current;
        boolean isOwnNext;
        boolean isRejected;
        long stamp;
        synchronized (this) {
            awaited.remove(from);
            try {
                result = decide(of, answer);
                planRecheck();
            } catch (RuntimeException | Error e) { // No memory for the result.
                waiting = null; // The client has its answer now.
                responder.fail(e);
            }
            current = round;
            isOwnNext = takeOwn();
            isRejected = current.isRejected();
            stamp = timestampMicros;
        }
        if (result != null) {
            act(result);
        }
        if (isOwnNext) {
            storeOwn(current, stamp, isRejected);
        }
    }

    /** Has the write checked again, if it waits; else ends the checks. */
    @GuardedBy("this")
    private void planRecheck() {
        if (recheck != null) {
            recheck.isOver = waiting == null;
        } else if (waiting != null) {
            recheck = new Recheck();
            rechecks.add(recheck, RECHECK_DELAY.toNanos());
        }
    }

    /** Checks a write that waits. Its client may be answered although no answer has arrived. */
    private final class Recheck extends TimeoutQueue.Timeout {
        private volatile boolean isOver;

        @Override
        protected boolean isOver() {
            return isOver;
        }

        @Override
        protected void expire() {
            WriteResult result;
            synchronized (ParallelWrite.this) {
                result = waiting == null ? null : settle(waiting);
                if (waiting != null) {
                    rechecks.add(this, RECHECK_DELAY.toNanos());
                }
            }
            if (result != null) {
                act(result);
            }
        }
    }

    /**
     * Whether to write this node's copy now: another replica has stored the write, or all others
     * have failed. In the second round, this node's copy also waits for late answers to the first
     * round.
     */
    @GuardedBy("this")
    private boolean takeOwn() {
        boolean isNext = ownWaits && (round.isAccepted() || isOwnAlone());
        ownWaits &= !isNext;
        return isNext;
    }

    @GuardedBy("this")
    private boolean isOwnAlone() {
        for (int i = 0; i < awaited.size(); i++) {
            if (awaited.get(i) != own) {
                return false;
            }
        }
        return true;
    }

    private void storeOwn(WriteRound of, long stamp, boolean isRejected) {
        try {
            context.storeOwn(own, request, stamp, isRejected, answer -> receive(of, own, answer));
        } catch (RuntimeException | Error e) {
            receive(of, own, CoordinatorContext.notAsked(own, request, stamp, e));
        }
    }

    /** Adds an answer; returns the outcome to act on now, or null. */
    @GuardedBy("this")
    private WriteResult decide(WriteRound of, WriteAnswer answer) {
        if (awaited.isEmpty() && keepsMemory) { // First, because the rest may fail.
            keepsMemory = false;
            context.copyMemory().giveBack(request.valueBytes());
        }
        of.add(answer); // Even after the outcome: it may decide about this node's copy.
        if (of == round && !decided) {
            decided = round.isDecided();
            return decided ? settle(round.result()) : null;
        }
        return waiting == null ? null : settle(waiting);
    }

    @GuardedBy("this")
    private WriteResult settle(WriteResult result) {
        boolean isNow =
                result instanceof WriteResult.Outdated
                        || awaited.isEmpty()
                        || tryKeepMemory(result);
        waiting = isNow ? null : result;
        return isNow ? result : null;
    }

    /**
     * Whether the client may be answered before the remaining replicas have answered. If so, this
     * has taken memory for the value.
     */
    @GuardedBy("this")
    private boolean tryKeepMemory(WriteResult result) {
        boolean isPaced =
                result instanceof WriteResult.Acknowledged && Replica.isAnyBehind(awaited);
        keepsMemory = !isPaced && context.copyMemory().tryTake(request.valueBytes());
        return keepsMemory;
    }

    private void act(WriteResult result) {
        try {
            switch (result) {
                case WriteResult.Acknowledged _ -> context.acknowledge(request, responder);
                case WriteResult.TooFewReplicas few -> context.answer(few.failure(), responder);
                case WriteResult.Outdated _ ->
                        context.stampAnew(() -> begin(WriteRound.last(quorum)), responder);
            }
        } catch (RuntimeException | Error e) {
            responder.fail(e);
        }
    }
}
