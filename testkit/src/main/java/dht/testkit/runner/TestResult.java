package dht.testkit.runner;

import java.time.Duration;

/**
 * The result of one test. Immutable.
 *
 * @param contract the contract it belongs to
 * @param test its name in the contract
 */
public record TestResult(String contract, String test, Outcome outcome, Duration duration) {
    /** The outcome of a test. */
    public sealed interface Outcome {
        record Passed() implements Outcome {}

        /** The test failed; the transcript explains why. */
        record Failed(String transcript) implements Outcome {}

        /** The test did not run, because the server does not have an ability that it needs. */
        record NotRun(String reason) implements Outcome {}
    }

    /** For example {@code EntityContract.get_ofKeyNeverWritten_returns404}. */
    public String name() {
        return contract + "." + test;
    }
}
