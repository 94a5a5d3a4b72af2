package dht.testkit.history;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A few operations on one key that together break a rule. Immutable.
 *
 * @param rule the rule that they break
 * @param operations the smallest set that proves it, sorted by start
 */
public record Violation(Rule rule, List<Operation> operations) {
    public Violation {
        operations =
                operations.stream()
                        .sorted(Comparator.comparingLong(Operation::startNanos))
                        .toList();
    }

    static Violation of(Rule rule, Operation... operations) {
        return new Violation(rule, List.of(operations));
    }

    public String key() {
        return operations.getFirst().key();
    }

    /** A text of several lines: the rule, then each operation with its node and times. */
    public String describe(long originNanos) {
        return operations.stream()
                .map(operation -> "\n  " + operation.describe(originNanos))
                .collect(Collectors.joining("", "key " + key() + ": " + rule.text(), ""));
    }
}
