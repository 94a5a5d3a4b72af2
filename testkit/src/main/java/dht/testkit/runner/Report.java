package dht.testkit.runner;

import dht.testkit.runner.TestResult.Outcome;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/**
 * The printed report of a run: a line for each test when it ends, then the transcripts of failed
 * tests, then the counts. For one thread at a time.
 */
final class Report {
    private static final String GREEN = "\u001b[32m";
    private static final String RED = "\u001b[31m";
    private static final String YELLOW = "\u001b[33m";
    private static final String PLAIN = "\u001b[0m";

    private final PrintStream out;
    private final boolean colours;
    private final List<TestResult> results = new ArrayList<>();
    private volatile boolean muted;

    Report(PrintStream out, boolean colours) {
        this.out = out;
        this.colours = colours;
    }

    /**
     * Ends the printing. It is called on Ctrl-C, because later failures are only its consequence.
     */
    void mute() {
        muted = true;
    }

    void add(TestResult result) {
        if (results.isEmpty() || !results.getLast().contract().equals(result.contract())) {
            print(result.contract());
        }
        results.add(result);
        print(
                switch (result.outcome()) {
                    case Outcome.Passed _ -> line(GREEN, "ok", result, "");
                    case Outcome.Failed _ -> line(RED, "FAILED", result, "");
                    case Outcome.NotRun(var reason) ->
                            line(YELLOW, "not run", result, "   " + reason);
                });
    }

    private String line(String colour, String word, TestResult result, String remark) {
        var padded = "%-7s".formatted(word);
        var shown = colours ? colour + padded + PLAIN : padded;
        return "  %s  %-62s %,7d ms%s"
                .formatted(shown, result.test(), result.duration().toMillis(), remark);
    }

    /** Prints the transcripts and the line of counts. */
    void end() {
        for (var result : results) {
            if (result.outcome() instanceof Outcome.Failed(var transcript)) {
                print("");
                print(transcript);
            }
        }
        print("");
        print(
                "tests: %d passed, %d failed, %d not run"
                        .formatted(count(Outcome.Passed.class), failed(), notRun()));
    }

    long failed() {
        return count(Outcome.Failed.class);
    }

    long notRun() {
        return count(Outcome.NotRun.class);
    }

    private long count(Class<? extends Outcome> kind) {
        return results.stream().map(TestResult::outcome).filter(kind::isInstance).count();
    }

    private void print(String line) {
        if (!muted) {
            out.println(line);
        }
    }
}
