package dht.testkit.history;

import dht.testkit.history.Operation.Outcome;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * What all clients of a run asked and were answered, for a {@link HistoryCheck} to judge.
 *
 * <p>Threads may share it.
 */
public final class History {
    private final Queue<Operation> operations = new ConcurrentLinkedQueue<>();
    private final LongAdder doneCount = new LongAdder();

    public void add(Operation operation) {
        operations.add(operation);
        if (operation.outcome() == Outcome.OK) {
            doneCount.increment();
        }
    }

    /** How many operations were recorded so far that were done. */
    public long doneCount() {
        return doneCount.sum();
    }

    /** What was recorded so far. */
    public List<Operation> operations() {
        return List.copyOf(operations);
    }
}
