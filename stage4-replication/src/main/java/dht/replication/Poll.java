package dht.replication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import java.util.function.Consumer;

/**
 * Asks replicas the same question, until a {@link WriteRound} is decided. Then it asks no more
 * replicas, and later answers are ignored.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>The listener gets exactly one of {@code decided} and {@code failed}, once.
 *   <li>It gets {@code ended} once, as the last call: when {@code decided} or {@code failed} has
 *       returned, and no answer is outstanding. No replica is asked after that.
 * </ol>
 *
 * <p>Thread-safe: answers may arrive on any thread.
 */
final class Poll {
    /** Asks one replica. */
    @FunctionalInterface
    interface Question {
        /**
         * @param receiver must get exactly one answer, unless this throws
         */
        void ask(Replica replica, Consumer<WriteAnswer> receiver);
    }

    /** Gets the outcome. Its methods must not throw. */
    interface Listener {
        /** The round is decided. */
        void decided(WriteResult result);

        /** A step has failed unexpectedly, for example because memory is exhausted. */
        void failed(Throwable reason);

        /** Called last: no replica uses the question any more. */
        void ended();
    }

    private final List<Replica> replicas;
    private final Question question;
    private final Listener listener;

    @GuardedBy("this")
    private final WriteRound round;

    @GuardedBy("this")
    private int askedCount;

    @GuardedBy("this")
    private int outstandingCount;

    @GuardedBy("this")
    private boolean isOver;

    @GuardedBy("this")
    private boolean isEnded;

    /**
     * @param round not yet decided; it is decided at the latest when all replicas have answered
     */
    Poll(List<Replica> replicas, WriteRound round, Question question, Listener listener) {
        this.replicas = replicas;
        this.round = round;
        this.question = question;
        this.listener = listener;
    }

    /**
     * Asks the first replicas.
     *
     * @param atOnce how many replicas are asked before the first answer; after each answer that
     *     decides nothing, one more is asked
     */
    void begin(int atOnce) {
        for (int i = 0; i < atOnce; i++) {
            askNext();
        }
    }

    private void askNext() {
        Replica next;
        synchronized (this) {
            if (isOver || askedCount == replicas.size()) {
                return;
            }
            next = replicas.get(askedCount++);
            outstandingCount++;
        }
        try {
            question.ask(next, this::receive);
        } catch (RuntimeException | Error e) {
            fail(e);
            answered();
        }
    }

    private void receive(WriteAnswer answer) {
        try {
            WriteResult result = add(answer);
            if (result == null) {
                askNext();
            } else {
                listener.decided(result);
            }
        } catch (RuntimeException | Error e) {
            fail(e);
        }
        answered();
    }

    /** Adds an answer; returns the outcome if this answer has decided it, else null. */
    private synchronized WriteResult add(WriteAnswer answer) {
        if (isOver) {
            return null;
        }
        round.add(answer);
        if (!round.isDecided()) {
            return null;
        }
        WriteResult result = round.result();
        isOver = true;
        return result;
    }

    private void fail(Throwable reason) {
        synchronized (this) {
            if (isOver) {
                return;
            }
            isOver = true;
        }
        listener.failed(reason);
    }

    private void answered() {
        synchronized (this) {
            outstandingCount--;
            if (isEnded || !isOver || outstandingCount > 0) {
                return;
            }
            isEnded = true;
        }
        listener.ended();
    }
}
