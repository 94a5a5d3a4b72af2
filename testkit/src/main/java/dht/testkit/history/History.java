package dht.testkit.history;

import dht.testkit.history.Operation.Outcome;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * The operations of all clients of a run, which a {@link HistoryCheck} checks.
 *
 * <p>Threads may share it.
 */
public final class History {
    private final Queue<Operation> operations = new ConcurrentLinkedQueue<>();
    private final LongAdder doneCount = new LongAdder();

    /** Records an operation that has ended. */
    public void add(Operation operation) {
        operations.add(operation);
        if (operation.outcome() == Outcome.OK) {
            doneCount.increment();
        }
    }

    /** The number of recorded operations that succeeded so far. */
    public long doneCount() {
        return doneCount.sum();
    }

    /** A copy of the operations that were recorded so far. */
    public List<Operation> operations() {
        return List.copyOf(operations);
    }
}
