package dht.replication.async;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.http.EntityRequest;
import dht.http.Responder;
import dht.peer.TimeoutQueue;
import dht.replication.Agreement;
import dht.replication.CoordinatorContext;
import dht.replication.LocalReplica;
import dht.replication.Quorum;
import dht.replication.ReadAnswer;
import dht.replication.ReadResult;
import dht.replication.ReadRound;
import dht.replication.RegisterKind;
import dht.replication.Replica;
import dht.replication.WriteBack;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * One read that asks as many replicas as must answer, all at the same time. If a replica fails, one
 * more replica is asked. If a replica is slow, one more is asked if reads are hedged and {@link
 * Hedges} allows it. Answers that arrive after the outcome is decided are closed.
 *
 * <p>Thread-safe: answers may arrive on any thread.
 */
final class ParallelRead extends TimeoutQueue.Timeout {
    /** The result of a read that this node could not finish. */
    private static final ReadResult FAILED = new ReadResult.TooFewReplicas(null);

    private static final ReadAnswer NOT_ASKED =
            new ReadAnswer.Failed(CoordinatorContext.COULD_NOT_ASK);

    private final EntityRequest.Get request;
    private final Responder responder;
    private final Quorum quorum;
    private final CoordinatorContext context;
    private final Hedges hedges; // Null if reads are not hedged.
    private final List<Replica> holders;
    private final Replica own; // Null if this node has no copy.
    private final List<Replica> others;
    private final Agreement agreement = new Agreement();

    @GuardedBy("this")
    private final ReadRound round;

    @GuardedBy("this")
    private final List<Asked> asked;

    @GuardedBy("this")
    private int othersAsked;

    @GuardedBy("this")
    private int askedBeforeTimer; // How many replicas were asked before the timer began.

    @GuardedBy("this")
    private ReadResult result; // Null until the outcome is decided.

    private volatile boolean over;

    /**
     * @param hedges null if reads are not hedged
     */
    ParallelRead(
            EntityRequest.Get request,
            Responder responder,
            Quorum quorum,
            RegisterKind kind,
            List<Replica> holders,
            CoordinatorContext context,
            Hedges hedges) {
        this.request = request;
        this.responder = responder;
        this.quorum = quorum;
        this.context = context;
        this.hedges = hedges;
        this.holders = holders;
        this.own = holders.getFirst() instanceof LocalReplica local ? local : null;
        List<Replica> remote = own == null ? holders : holders.subList(1, holders.size());
        this.others = hedges == null ? remote : hedges.inOrder(remote);
        this.round = new ReadRound(quorum, kind);
        this.asked = new ArrayList<>(quorum.ack() + 1);
    }

    void begin() {
        try {
            ask();
        } catch (RuntimeException | Error e) {
            fail(e); // The answers of replicas that were asked before will be closed.
        }
    }

    private void ask() {
        int othersNeeded = quorum.ack() - (own == null ? 0 : 1);
        for (int i = 0; i < othersNeeded; i++) {
            askNext();
        }
        if (own != null) {
            own.read(
                    request,
                    answer -> hear(own, answer)); // Last, so that the others work at the same time.
        }
        if (hedges != null) {
            hedges.begin();
            watch(mayAskAnother());
        }
    }

    private void watch(boolean isTimerNeeded) {
        synchronized (this) {
            askedBeforeTimer = asked.size();
        }
        if (isTimerNeeded) {
            hedges.watch(this);
        }
    }

    /** Whether a replica was asked after the timer had begun. */
    private synchronized boolean isOneUntimed() {
        return result == null && asked.size() > askedBeforeTimer;
    }

    private synchronized boolean mayAskAnother() {
        return result == null && othersAsked < others.size();
    }

    private void askNext() {
        Asked next;
        synchronized (this) {
            if (result != null || othersAsked == others.size()) {
                return;
            }
            next = new Asked(others.get(othersAsked));
            asked.add(next);
            othersAsked++; // Last: if this method fails before, the replica can still be asked.
        }
        try {
            next.ask();
        } catch (RuntimeException | Error e) { // The read must not wait for this replica.
            CoordinatorContext.log(e);
            hear(next.replica, NOT_ASKED);
        }
    }

    /** A replica on another node that was asked. */
    private final class Asked implements Consumer<ReadAnswer> {
        private final Replica replica;
        private final long askedNanos = hedges == null ? 0 : System.nanoTime();
        private final AtomicBoolean noted = new AtomicBoolean();

        Asked(Replica replica) {
            this.replica = replica;
        }

        void ask() {
            if (hedges != null) {
                hedges.asked(replica);
            }
            replica.read(request, this);
        }

        @Override
        public void accept(ReadAnswer answer) {
            try {
                switch (answer) {
                    case ReadAnswer.Looked _ -> noteAnswer();
                    case ReadAnswer.Failed _ -> noteSlow();
                }
            } catch (OutOfMemoryError _) { // Only the hedges do not learn of this answer.
            }
            hear(replica, answer);
        }

        private void noteAnswer() {
            if (hedges != null) {
                // After the decision, an answer is not prompt: the read did not wait for it.
                boolean isPrompt = noted.compareAndSet(false, true) && !over;
                hedges.answered(replica, isPrompt, System.nanoTime() - askedNanos);
            }
        }

        /**
         * Notes that this replica has failed, or that its answer is overdue. The read still uses an
         * overdue answer if it comes before the outcome.
         */
        void noteSlow() {
            if (hedges != null && noted.compareAndSet(false, true)) {
                hedges.overdue(replica);
            }
        }
    }

    /**
     * Processes an answer. Answers that come after the outcome are compared, too, because their
     * replicas may be the ones that lack a version.
     */
    private void hear(Replica from, ReadAnswer answer) {
        agreement.add(answer);
        receive(from, answer);
        if (over) {
            context.heal(request.key(), quorum.from(), agreement);
        }
    }

    private void receive(Replica from, ReadAnswer answer) {
        try {
            if (take(from, answer)) {
                answerClient();
            } else if (answer instanceof ReadAnswer.Failed) {
                askNext();
            }
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    private void fail(Throwable reason) {
        try {
            abandon();
        } finally { // Nothing else would answer the client.
            responder.fail(reason);
        }
    }

    private synchronized void abandon() {
        if (result == null) {
            result = FAILED;
            over = true;
            round.abandon();
        }
    }

    /** Adds an answer to the round; returns whether this answer has decided the outcome. */
    private synchronized boolean take(Replica from, ReadAnswer answer) {
        if (result != null) {
            if (answer instanceof ReadAnswer.Looked later) {
                later.version().close();
            }
            return false;
        }
        round.add(from, answer);
        if (round.isDecided()) {
            result = round.result();
            over = true;
        }
        return over;
    }

    private void answerClient() {
        ReadRound complete;
        ReadResult decided;
        synchronized (this) {
            complete = round; // Nothing is added to it any more.
            decided = result;
        }
        WriteBack.answer(request, responder, context, complete, decided, holders, holders.size());
    }

    @Override
    protected boolean isOver() {
        return over;
    }

    /**
     * The delay has passed: notes the replicas whose answers are overdue, and asks one more, if
     * {@link Hedges} allows it. A replica that was asked during the delay, because another one had
     * failed, is not overdue yet.
     */
    @Override
    protected void expire() {
        List<Asked> longAsked;
        synchronized (this) {
            longAsked = List.copyOf(asked.subList(0, askedBeforeTimer));
        }
        longAsked.forEach(Asked::noteSlow);
        if (mayAskAnother() && hedges.tryHedge()) {
            askNext();
        }
        watch(isOneUntimed() || mayAskAnother());
    }
}
