package dht.testkit.tiny;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.junit.ContractExtension;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.InProcess;
import dht.testkit.node.JarProcess;
import dht.testkit.node.NodeFactory;
import dht.testkit.runner.ShardingSuite;
import dht.testkit.runner.SuiteRun;
import dht.testkit.runner.TestResult;
import dht.testkit.runner.TestResult.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the checks of clusters. Each faulty cluster must fail the checks that are listed for it,
 * and each check must have a faulty cluster that fails it. Checks that pause a node run against
 * processes.
 */
@LongByNature
class WrongClustersTest {
    private static final int PATIENCE_MILLIS = 10_000;

    /** How long a node waits for a paused node. */
    private static final int PEER_MILLIS = 2000;

    private static final int RUN_AT_ONCE = 4;

    private static final Map<String, Future<List<TestResult>>> RESULTS = new ConcurrentHashMap<>();

    private static Path jar;

    /** Most tests only wait for answers that never arrive, so several of them run at once. */
    @BeforeAll
    static void runAll(@TempDir Path directory) throws Exception {
        jar = TinyJar.in(directory);
        try (var runners = Executors.newFixedThreadPool(RUN_AT_ONCE)) {
            for (var wrong : wrongProcesses().toList()) {
                var fault = (String) wrong.get()[0];
                var test = (String) wrong.get()[1];
                RESULTS.put(fault, runners.submit(() -> run(wrongProcess(fault), List.of(test))));
            }
            wrongClusters()
                    .forEach(wrong -> RESULTS.put(wrong.fault(), runners.submit(() -> run(wrong))));
        }
    }

    private static List<TestResult> run(Wrong wrong) {
        return run(InProcess.of(wrong.starter()), wrong.caughtBy());
    }

    static Stream<Wrong> wrongClusters() {
        return WrongClusters.all();
    }

    static Stream<Arguments> wrongProcesses() {
        return Stream.of(
                Arguments.of("assuming", "owner_thatIsSilent_is504ForItsKeysAlone"),
                Arguments.of("one-by-one", "owner_thatIsSilentForMany_holdsUpNobodyElse"),
                Arguments.of("unforgiving", "owner_thatGoesOn_isServedThroughEachNode"));
    }

    private static List<TestResult> run(NodeFactory factory, List<String> tests) {
        return new SuiteRun(ShardingSuite.class, factory)
                .only(name -> tests.contains(testOf(name)))
                .parameter(ContractExtension.PATIENCE_MILLIS, PATIENCE_MILLIS)
                .run(_ -> {});
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongClusters")
    void wrongCluster_underTheChecksThatNameIt_failsEach(Wrong wrong) throws Exception {
        assertAllFailed(RESULTS.get(wrong.fault()).get(), wrong.caughtBy());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongProcesses")
    void wrongProcesses_underTheCheckThatNamesThem_failIt(String fault, String test)
            throws Exception {
        assertAllFailed(RESULTS.get(fault).get(), List.of(test));
    }

    private static JarProcess wrongProcess(String fault) {
        return processes().jvmFlags("-D" + TinyMain.FAULT + "=" + fault);
    }

    private static JarProcess processes() {
        return JarProcess.of(jar).jvmFlags("-D" + TinyNode.PEER_MILLIS + "=" + PEER_MILLIS);
    }

    private static void assertAllFailed(List<TestResult> results, List<String> tests) {
        assertThat(results).extracting(TestResult::test).containsExactlyInAnyOrderElementsOf(tests);
        assertThat(results)
                .allSatisfy(
                        result ->
                                assertThat(result.outcome())
                                        .isInstanceOfSatisfying(
                                                Outcome.Failed.class,
                                                failed ->
                                                        assertThat(failed.transcript())
                                                                .contains("docs/reference/")));
    }

    @Test
    void rightProcesses_underTheChecksOfPauses_passThem() {
        var tests = wrongProcesses().map(each -> (String) each.get()[1]).toList();
        assertThat(run(processes(), tests))
                .hasSize(tests.size())
                .extracting(TestResult::outcome)
                .containsOnly(new Outcome.Passed());
    }

    @Test
    void suite_eachOfItsChecks_catchesSomeWrongCluster() {
        var names =
                new SuiteRun(ShardingSuite.class, _ -> null)
                        .names().stream()
                                .filter(name -> name.startsWith("Owner"))
                                .map(WrongClustersTest::testOf)
                                .toList();
        var inProcess = wrongClusters().flatMap(wrong -> wrong.caughtBy().stream());
        var processes = wrongProcesses().map(each -> (String) each.get()[1]);
        assertThat(Stream.concat(inProcess, processes).distinct())
                .containsExactlyInAnyOrderElementsOf(names);
    }

    private static String testOf(String name) {
        return name.substring(name.indexOf('.') + 1);
    }
}
