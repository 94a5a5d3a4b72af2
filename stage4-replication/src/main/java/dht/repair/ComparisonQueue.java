package dht.repair;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** Decides with which other node this node compares itself next. Thread-safe. */
final class ComparisonQueue {
    private static final long CHECK_MILLIS = 200;

    private final LongSupplier nanoClock;

    @GuardedBy("this")
    private final List<ComparisonTurn> turns;

    /**
     * The index of the turn that is checked next. It moves on each time, so that a node whose
     * comparisons keep failing does not delay the others.
     */
    @GuardedBy("this")
    private int next;

    ComparisonQueue(List<ComparisonTurn> turns, LongSupplier nanoClock) {
        this.turns = turns;
        this.nanoClock = nanoClock;
    }

    /** Requests a comparison with each other node now. */
    synchronized void askAll() {
        turns.forEach(ComparisonTurn::ask);
        notifyAll();
    }

    /** Waits until a comparison is due, and begins it. */
    synchronized ComparisonTurn take() throws InterruptedException {
        while (true) {
            for (int i = 0; i < turns.size(); i++) {
                ComparisonTurn turn = turns.get(next);
                next = (next + 1) % turns.size();
                if (turn.isDue(nanoClock.getAsLong())) {
                    turn.begin(nanoClock.getAsLong());
                    return turn;
                }
            }
            wait(CHECK_MILLIS);
        }
    }

    synchronized void done(ComparisonTurn turn, String summary) {
        turn.done(summary, nanoClock.getAsLong());
    }

    synchronized void failed(ComparisonTurn turn, String summary, boolean isWorthRetrying) {
        turn.failed(summary, isWorthRetrying, nanoClock.getAsLong());
    }

    /** One line for each other node. */
    synchronized String describe() {
        return turns.stream().map(ComparisonTurn::describe).collect(Collectors.joining());
    }

    /** The number of nodes with which a comparison waits or runs. */
    synchronized long waitingCount() {
        return turns.stream().filter(ComparisonTurn::isWaiting).count();
    }
}
