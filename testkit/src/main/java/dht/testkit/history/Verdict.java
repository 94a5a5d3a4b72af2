package dht.testkit.history;

import dht.testkit.transcript.Mismatch;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a {@link HistoryCheck} found. Immutable.
 *
 * @param operationCount how many operations were judged
 * @param keyCount of how many keys
 * @param violations the first one of each key that has any, by key
 * @param originNanos the start of the first operation, from which times are told
 */
public record Verdict(
        int operationCount, int keyCount, List<Violation> violations, long originNanos) {
    private static final int SHOWN_MAX = 5;

    public boolean isClean() {
        return violations.isEmpty();
    }

    /**
     * Passes over a history that keeps all rules.
     *
     * @throws Mismatch that tells what happened otherwise
     */
    public void expectClean() {
        if (!isClean()) {
            throw new Mismatch("a history that one order of its writes explains", describe());
        }
    }

    /** For people: one line if all is well, else the violations of the first few keys. */
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
