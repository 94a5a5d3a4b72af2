package dht.testkit.runner;

import com.fasterxml.jackson.jr.ob.JSON;
import dht.testkit.runner.TestResult.Outcome;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The results of a run for programs: a file with one JSON object a line. First comes a line {@code
 * outcome=planned} for each test that will be run, then one with {@code contract, test, outcome,
 * seconds, message} as each ends. A reader so sees which tests a run that was stopped did not
 * reach. For one thread.
 */
final class ResultLines implements AutoCloseable {
    private final BufferedWriter out;

    /**
     * @throws IOException if the file cannot be written
     */
    ResultLines(Path file) throws IOException {
        out = Files.newBufferedWriter(file);
    }

    /** Each as {@link TestResult#name} says it. */
    void plan(List<String> names) {
        for (String name : names) {
            int dot = name.indexOf('.');
            write(line(name.substring(0, dot), name.substring(dot + 1), "planned"));
        }
    }

    void add(TestResult result) {
        String message =
                switch (result.outcome()) {
                    case Outcome.Passed _ -> "";
                    case Outcome.Failed(var transcript) -> transcript;
                    case Outcome.NotRun(var reason) -> reason;
                };
        Map<String, Object> line = line(result.contract(), result.test(), word(result.outcome()));
        line.put("seconds", result.duration().toMillis() / 1e3);
        line.put("message", message);
        write(line);
    }

    private static String word(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Passed _ -> "passed";
            case Outcome.Failed _ -> "failed";
            case Outcome.NotRun _ -> "not run";
        };
    }

    private static Map<String, Object> line(String contract, String test, String outcome) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("contract", contract);
        line.put("test", test);
        line.put("outcome", outcome);
        return line;
    }

    private void write(Map<String, Object> line) {
        try {
            out.write(JSON.std.asString(line));
            out.newLine();
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the results: line=" + line, e);
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
