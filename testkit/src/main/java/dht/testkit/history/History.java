package dht.testkit.history;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What all clients of a run asked and were answered, for a {@link HistoryCheck} to judge.
 *
 * <p>Threads may share it.
 */
public final class History {
    private final Queue<Operation> operations = new ConcurrentLinkedQueue<>();

    public void add(Operation operation) {
        operations.add(operation);
    }

    /** What was recorded so far. */
    public List<Operation> operations() {
        return List.copyOf(operations);
    }
}
