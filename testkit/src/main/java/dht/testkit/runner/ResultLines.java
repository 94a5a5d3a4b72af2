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
 * A file with the results of a run for programs, one JSON object per line. First comes a line with
 * {@code outcome=planned} for each test that will run. Then comes a line with {@code contract,
 * test, outcome, seconds, message} when a test ends. So a reader can see which tests did not run if
 * the run was stopped. For one thread.
 */
final class ResultLines implements AutoCloseable {
    private final BufferedWriter out;

    /**
     * @throws IOException if the file cannot be written
     */
    ResultLines(Path file) throws IOException {
        out = Files.newBufferedWriter(file);
    }

    /**
     * Writes the lines of the planned tests.
     *
     * @param names the names of the tests; see {@link TestResult#name}
     */
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
