package dht.testkit.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.Examples;
import dht.testkit.concurrent.Deadline;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.Processes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the runner from outside, against the server in Python. */
class RunnerTest {
    private static final int MEMORY_MIB = 160;

    @TempDir private Path directory;

    @Test
    @LongByNature
    void runner_againstAServerInAnotherLanguage_passesAndRunsEverything() throws Exception {
        var bounded =
                "ulimit -v %d; MALLOC_ARENA_MAX=1 exec %s"
                        .formatted(MEMORY_MIB << 10, Examples.python());
        var runner =
                RunnerProcess.start(
                        directory,
                        "--stage",
                        "1",
                        "--server",
                        bounded,
                        "--memory-mib",
                        String.valueOf(MEMORY_MIB),
                        "--patience",
                        "60", // The machine may be busy.
                        "--strict");
        var exitCode = runner.exitCode();
        assertThat(runner.lines()).noneMatch(line -> line.startsWith("  FAILED"));
        assertThat(runner.lines())
                .last()
                .asString()
                .isEqualTo("tests: %d passed, 0 failed, 0 not run".formatted(all()));
        assertThat(exitCode).isZero();
        assertThat(runner.lines()).noneMatch(line -> line.contains("\u001b"));
        assertThat(runner.leftovers()).isEmpty();
    }

    private static int all() {
        return new SuiteRun(Stage1Suite.class, _ -> null).names().size();
    }

    @Test
    void runner_againstAWrongServer_printsEachTranscriptOnceAndExitsWith1() throws Exception {
        var runner =
                RunnerProcess.start(
                        directory,
                        "--stage",
                        "1",
                        "--server",
                        Examples.wrongPython("forgets_empty_values.py"),
                        "--only",
                        "put_ofEmptyValue,StatusContract.status_get");
        assertThat(runner.exitCode()).isEqualTo(1);
        var lines = runner.lines();
        assertThat(lines).last().isEqualTo("tests: 1 passed, 2 failed, 0 not run");
        assertThat(lines)
                .filteredOn("EntityContract.put_ofEmptyValue_isReadAs200"::equals)
                .hasSize(1);
        assertThat(lines).filteredOn(line -> line.startsWith("  FAILED")).hasSize(2);
        assertThat(lines)
                .anyMatch(line -> line.matches("  ok       status_get_returns200 +[\\d,]+ ms"));
    }

    @Test
    void runner_withAFileForResults_tellsWhatIsPlannedAndHowEachTestEnded() throws Exception {
        Path file = directory.resolve("results.jsonl");
        var runner =
                RunnerProcess.start(
                        directory,
                        "--stage",
                        "1",
                        "--server",
                        Examples.wrongPython("forgets_empty_values.py"),
                        "--only",
                        "put_ofEmptyValue,StatusContract.status_get",
                        "--results",
                        file.toString());
        runner.exitCode();

        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(6);
        assertThat(lines.subList(0, 3)).allMatch(line -> line.endsWith("\"outcome\":\"planned\"}"));
        assertThat(lines.subList(3, 6))
                .filteredOn(line -> line.contains("\"outcome\":\"passed\",\"seconds\":"))
                .hasSize(1);
        assertThat(lines)
                .filteredOn(line -> line.contains("\"outcome\":\"failed\",\"seconds\":"))
                .hasSize(2)
                .allMatch(line -> line.contains("curl"));
    }

    @Test
    void runner_againstWhatDoesNotStart_failsOnceAndRunsNothingElse() throws Exception {
        var runner =
                RunnerProcess.start(
                        directory,
                        "--stage",
                        "1",
                        "--server",
                        "sh -c 'echo out of order; exit 7' {port} {data}",
                        "--only",
                        "StatusContract");
        assertThat(runner.exitCode()).isEqualTo(1);
        var lines = runner.lines();
        assertThat(lines).last().isEqualTo("tests: 0 passed, 1 failed, 6 not run");
        assertThat(lines)
                .anyMatch(line -> line.contains("ended with exit code 7 before it was ready"));
        assertThat(lines).anyMatch("    out of order"::equals);
    }

    @LongByNature
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void runner_whatCannotRun_isToleratedUnlessStrict(boolean strict) throws Exception {
        var options =
                Stream.of(
                                "--stage",
                                "1",
                                "--server",
                                Examples.python(),
                                "--only",
                                "range_largerThanMemory",
                                "--strict")
                        .limit(strict ? 7 : 6)
                        .toArray(String[]::new);
        var runner = RunnerProcess.start(directory, options);
        assertThat(runner.exitCode()).isEqualTo(strict ? 1 : 0);
        assertThat(runner.lines()).last().isEqualTo("tests: 0 passed, 0 failed, 1 not run");
        assertThat(runner.lines())
                .anyMatch(line -> line.contains("the server's memory has no known bound"));
    }

    @LongByNature
    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    void runner_onInterruption_leavesNothingBehind(String signal) throws Exception {
        var runner = RunnerProcess.start(directory, "--stage", "1", "--server", Examples.python());
        var soon = Deadline.in(Duration.ofSeconds(30));
        soon.await("the runner has started a server", () -> !servers(runner).isEmpty());
        var servers = servers(runner);
        new ProcessBuilder("kill", "-" + signal, String.valueOf(runner.handle().pid()))
                .start()
                .waitFor();
        assertThat(runner.exitCode()).isEqualTo(signal.equals("INT") ? 130 : 143);
        soon.await("no server is left", () -> servers.stream().noneMatch(Processes::isAlive));
        assertThat(runner.leftovers()).isEmpty();
    }

    /**
     * The process that has this port on its command line. It is neither the runner nor its parent.
     */
    private static List<ProcessHandle> servers(RunnerProcess runner) {
        var toldItsPort = Pattern.compile("--port \\d+").asPredicate();
        return runner.handle()
                .descendants()
                .filter(child -> toldItsPort.test(child.info().commandLine().orElse("")))
                .toList();
    }
}
