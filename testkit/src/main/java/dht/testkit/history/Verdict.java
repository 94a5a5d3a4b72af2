package dht.testkit.history;

import dht.testkit.transcript.Mismatch;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The result of a {@link HistoryCheck}. Immutable.
 *
 * @param operationCount the number of checked operations
 * @param keyCount the number of their keys
 * @param violations the first violation of each key that has one, sorted by key
 * @param originNanos the start of the first operation; in texts it is the time 0
 */
public record Verdict(
        int operationCount, int keyCount, List<Violation> violations, long originNanos) {
    private static final int SHOWN_MAX = 5;

    /** Whether there are no violations. */
    public boolean isClean() {
        return violations.isEmpty();
    }

    /**
     * Checks that the history follows all rules.
     *
     * @throws Mismatch if it does not; the message describes the violations
     */
    public void expectClean() {
        if (!isClean()) {
            throw new Mismatch("a history that one order of its writes explains", describe());
        }
    }

    /** A text for people: one line, and the violations of the first few keys if there are any. */
    public String describe() {
        var summary =
                "%,d operations on %,d keys, violations on %,d of them"
                        .formatted(operationCount, keyCount, violations.size());
        return violations.stream()
                .limit(SHOWN_MAX)
                .map(violation -> "\n" + violation.describe(originNanos))
                .collect(Collectors.joining("", summary, ""));
    }
}
