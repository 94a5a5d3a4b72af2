package dht.testkit.history;

import dht.testkit.history.Operation.Kind;
import dht.testkit.history.Operation.Outcome;
import java.util.ArrayList;
import java.util.List;

/**
 * The definition of {@link HistoryCheck} taken at its word, for one key: tries every order of the
 * writes.
 */
final class HistoryOracle {
    private final List<Operation> writes;
    private final List<Operation> reads;

    HistoryOracle(List<Operation> operations) {
        writes =
                operations.stream()
                        .filter(operation -> operation.isWrite())
                        .filter(operation -> operation.outcome() != Outcome.FAILED)
                        .toList();
        reads =
                operations.stream()
                        .filter(operation -> !operation.isWrite())
                        .filter(operation -> operation.outcome() == Outcome.OK)
                        .toList();
    }

    boolean isExplained() {
        return isExplained(new ArrayList<>(), new ArrayList<>(writes));
    }

    private boolean isExplained(List<Operation> order, List<Operation> left) {
        if (left.isEmpty()) {
            return reads.stream().allMatch(read -> isLegal(read, order));
        }
        for (var next : left) {
            var rest = new ArrayList<>(left);
            rest.remove(next);
            if (rest.stream().noneMatch(other -> isBefore(other, next))) {
                order.addLast(next);
                if (isExplained(order, rest)) {
                    return true;
                }
                order.removeLast();
            }
        }
        return false;
    }

    private static boolean isLegal(Operation read, List<Operation> order) {
        for (var i = order.size() - 1; i >= -1; i--) {
            if (i < 0) {
                return read.value() == null;
            }
            var write = order.get(i);
            var isReturned =
                    write.kind() == Kind.DELETE
                            ? read.value() == null
                            : write.value().equals(read.value());
            if (isReturned && write.startNanos() <= read.endNanos()) {
                return true;
            }
            if (isBefore(write, read)) {
                return false;
            }
        }
        throw new AssertionError("not reached");
    }

    private static boolean isBefore(Operation write, Operation other) {
        return write.outcome() == Outcome.OK && write.endNanos() < other.startNanos();
    }
}
