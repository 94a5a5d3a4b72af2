package dht.testkit.history;

import dht.testkit.history.Operation.Kind;
import dht.testkit.history.Operation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Applies the definitions of {@link HistoryCheck} literally, for one key. For a regular register,
 * it tries every order of the writes; for an atomic register, every order of all operations.
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

    boolean isExplained(RegisterKind kind) {
        return switch (kind) {
            case REGULAR -> isExplained();
            case ATOMIC ->
                    isLinearizable(null, Stream.concat(writes.stream(), reads.stream()).toList());
        };
    }

    /** Whether the remaining operations can be put into an order that explains their results. */
    private static boolean isLinearizable(String value, List<Operation> left) {
        if (left.stream().allMatch(operation -> operation.outcome() == Outcome.UNKNOWN)) {
            return true; // These operations have not happened yet.
        }
        return left.stream()
                .filter(next -> left.stream().noneMatch(other -> isBefore(other, next)))
                .filter(next -> next.isWrite() || Objects.equals(next.value(), value))
                .anyMatch(next -> isLinearizable(next.value(), without(next, left)));
    }

    private static List<Operation> without(Operation next, List<Operation> operations) {
        return operations.stream().filter(operation -> operation != next).toList();
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
