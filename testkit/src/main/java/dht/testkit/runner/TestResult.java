package dht.testkit.runner;

import java.time.Duration;

/**
 * How one test went.
 *
 * @param contract the contract it belongs to
 * @param test its name there
 */
public record TestResult(String contract, String test, Outcome outcome, Duration duration) {
    /** What came of it. */
    public sealed interface Outcome {
        record Passed() implements Outcome {}

        /** The transcript tells why. */
        record Failed(String transcript) implements Outcome {}

        /** The server can't do what the test needs. */
        record NotRun(String reason) implements Outcome {}
    }

    /** For example {@code EntityContract.get_ofKeyNeverWritten_returns404}. */
    public String name() {
        return contract + "." + test;
    }
}
