package dht.testkit.contract;

import dht.testkit.history.Operation;
import dht.testkit.history.Operation.Outcome;
import dht.testkit.transcript.Mismatch;
import java.util.List;
import java.util.stream.Collectors;

/** The check that no request failed without an allowed reason. Stateless. */
final class Failures {
    private static final int SHOWN_MAX = 5;

    private Failures() {}

    /**
     * Checks that all operations succeeded.
     *
     * @param expected the condition in words
     * @param originNanos the moment that counts as 0 in the message, by {@link System#nanoTime}
     */
    static void expectNone(String expected, List<Operation> operations, long originNanos) {
        var failed =
                operations.stream().filter(operation -> operation.outcome() != Outcome.OK).toList();
        if (!failed.isEmpty()) {
            var shown =
                    failed.stream()
                            .limit(SHOWN_MAX)
                            .map(operation -> operation.describe(originNanos))
                            .collect(Collectors.joining("\n  "));
            throw new Mismatch(expected, "%,d failed:\n  %s".formatted(failed.size(), shown));
        }
    }
}
