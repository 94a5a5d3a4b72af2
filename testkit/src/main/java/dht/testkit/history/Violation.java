package dht.testkit.history;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Operations on one key which cannot all have gone as they did. Immutable.
 *
 * @param rule what they break
 * @param operations the fewest that show it, by their starts
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

    /** Several lines: the rule, then each operation with its node and times. */
    public String describe(long originNanos) {
        return operations.stream()
                .map(operation -> "\n  " + operation.describe(originNanos))
                .collect(Collectors.joining("", "key " + key() + ": " + rule.text(), ""));
    }
}
