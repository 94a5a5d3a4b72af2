package dht.testkit.tiny;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.Examples;
import dht.testkit.junit.ContractExtension;
import dht.testkit.node.CommandLine;
import dht.testkit.node.CommandProcess;
import dht.testkit.node.JarProcess;
import dht.testkit.node.NodeFactory;
import dht.testkit.runner.Stage1Suite;
import dht.testkit.runner.SuiteRun;
import dht.testkit.runner.TestResult;
import dht.testkit.runner.TestResult.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the checks that need a process, against correct and faulty servers. */
class ProcessServerTest {
    private static Path jar;

    @BeforeAll
    static void makeJar(@TempDir Path directory) throws Exception {
        jar = TinyJar.in(directory);
    }

    @Test
    void jarServer_underTheChecksOfProcesses_passesAll() {
        var results =
                run(
                        JarProcess.of(jar),
                        "process_onSigterm_exitsWith0",
                        "request_duringAPause_isAnsweredAfterIt",
                        "kill_rightAfterAnAcknowledgement_keepsTheWrite",
                        "stop_always_leavesNothingBehind",
                        "stop_whileAnswersAreSent_finishesThem");
        assertThat(results)
                .hasSize(5)
                .extracting(TestResult::outcome)
                .containsOnly(new Outcome.Passed());
    }

    @Test
    void jarServer_thatExitsWithAnotherCode_isCaught() {
        var wrong = JarProcess.of(jar).jvmFlags("-D" + TinyMain.EXIT_CODE + "=143");
        assertThat(transcripts(wrong, "process_onSigterm_exitsWith0"))
                .singleElement()
                .asString()
                .contains("expected  exit code 0 after SIGTERM", "got       exit code 143");
    }

    @Test
    void jarServer_thatHoldsARangeInMemory_isCaught() {
        var wrong = JarProcess.of(jar).jvmFlags("-Xmx32m");
        assertThat(transcripts(wrong, "range_largerThanMemory_isComplete"))
                .singleElement()
                .asString()
                .contains("OutOfMemoryError");
    }

    @Test
    void jarServer_withoutKnownBoundOfMemory_isNotTestedWithRangesBeyondIt() {
        assertThat(run(JarProcess.of(jar), "range_largerThanMemory_isComplete"))
                .extracting(TestResult::outcome)
                .containsExactly(new Outcome.NotRun("the server's memory has no known bound"));
    }

    @Test
    void commandServer_thatDoesNotOutliveAPause_isCaught() {
        var wrong =
                CommandProcess.of(CommandLine.parse(Examples.wrongPython("dies_after_a_pause.py")));
        assertThat(transcripts(wrong, "request_duringAPause_isAnsweredAfterIt")).hasSize(1);
    }

    private static List<String> transcripts(NodeFactory factory, String... tests) {
        return run(factory, tests).stream()
                .map(TestResult::outcome)
                .filter(Outcome.Failed.class::isInstance)
                .map(outcome -> ((Outcome.Failed) outcome).transcript())
                .toList();
    }

    private static List<TestResult> run(NodeFactory factory, String... tests) {
        var wanted = Set.of(tests);
        return new SuiteRun(Stage1Suite.class, factory)
                .only(name -> wanted.contains(name.substring(name.indexOf('.') + 1)))
                .parameter(ContractExtension.PATIENCE_MILLIS, 5000)
                .run(_ -> {});
    }
}
