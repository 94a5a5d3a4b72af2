package dht.testkit.contract;

import dht.testkit.history.Operation;
import dht.testkit.history.Operation.Outcome;
import dht.testkit.transcript.Mismatch;
import java.util.List;
import java.util.stream.Collectors;

/** Requests that failed without an excuse. Stateless. */
final class Failures {
    private static final int SHOWN_MAX = 5;

    private Failures() {}

    /**
     * Checks that every one of the operations was done.
     *
     * @param expected the same in words
     * @param originNanos from when times are told
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
            throw new Mismatch(expected, "%,d did:\n  %s".formatted(failed.size(), shown));
        }
    }
}
