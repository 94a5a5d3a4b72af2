package dht.testkit.tiny;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.contract.FaultContract;
import dht.testkit.junit.Contract;
import dht.testkit.junit.ContractExtension;
import dht.testkit.node.InProcess;
import dht.testkit.runner.SuiteRun;
import dht.testkit.runner.TestResult;
import dht.testkit.runner.TestResult.Outcome;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests a suite of checks. Each faulty server must fail the checks that are listed for it, and each
 * check must have a faulty server that fails it.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class WrongServers {
    private static final int PATIENCE_MILLIS = 400;

    /**
     * For servers that exactly one test must catch. Long, so that a stall of the machine fails no
     * test.
     */
    private static final int LONG_PATIENCE_MILLIS = 20_000;

    /** How long nodes may take until they hold the same entries. */
    private static final int ALIKE_SECONDS = 2;

    private static final int LONG_ALIKE_SECONDS = 20;

    private static final int RUN_AT_ONCE = 4;

    private final Class<? extends Contract> suite;
    private final Set<String> ofProcesses;
    private final Map<String, Future<List<TestResult>>> results = new ConcurrentHashMap<>();

    /**
     * @param suite whose checks are to catch them
     * @param ofProcesses checks of what only processes can do wrong
     */
    WrongServers(Class<? extends Contract> suite, Set<String> ofProcesses) {
        this.suite = suite;
        this.ofProcesses = ofProcesses;
    }

    abstract Stream<Wrong> wrongServers();

    /** Most tests only wait for answers that never arrive, so several of them run at once. */
    @BeforeAll
    void runAll() {
        try (var runners = Executors.newFixedThreadPool(RUN_AT_ONCE)) {
            wrongServers()
                    .forEach(wrong -> results.put(wrong.fault(), runners.submit(() -> run(wrong))));
        }
    }

    private List<TestResult> run(Wrong wrong) {
        var factory = InProcess.of(wrong.starter());
        var behind = InProcess.of(wrong.starterBehind());
        return new SuiteRun(suite, factory.withLimited(factory).withClockBehind(behind))
                .only(name -> wrong.caughtBy().contains(testOf(name)))
                .parameter(ContractExtension.PATIENCE_MILLIS, patienceMillis(wrong))
                .parameter(FaultContract.SECONDS, 1)
                .parameter(FaultContract.ALIKE_SECONDS, alikeSeconds(wrong))
                .run(_ -> {});
    }

    private static int alikeSeconds(Wrong wrong) {
        return wrong.verdicts().isEmpty() ? ALIKE_SECONDS : LONG_ALIKE_SECONDS;
    }

    private static int patienceMillis(Wrong wrong) {
        return wrong.verdicts().isEmpty() ? PATIENCE_MILLIS : LONG_PATIENCE_MILLIS;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongServers")
    void wrongServer_underTheChecksThatNameIt_failsEach(Wrong wrong) throws Exception {
        var found = results.get(wrong.fault()).get();
        found.forEach(WrongServers::abortIfNotRun);
        assertThat(found)
                .extracting(TestResult::test)
                .containsExactlyInAnyOrderElementsOf(wrong.caughtBy());
        assertThat(found)
                .allSatisfy(result -> hasTranscript(result, wrong.verdictOf(result.test())));
    }

    /** Some tests need things that not every machine has. */
    private static void abortIfNotRun(TestResult result) {
        if (result.outcome() instanceof Outcome.NotRun(var reason)) {
            Assumptions.abort(result.test() + ": " + reason);
        }
    }

    private static void hasTranscript(TestResult result, String verdict) {
        assertThat(result.outcome()).isInstanceOf(Outcome.Failed.class);
        var transcript = ((Outcome.Failed) result.outcome()).transcript();
        assertThat(transcript)
                .startsWith(result.name())
                .contains("promise", "docs/reference/")
                .containsPattern(verdict);
    }

    @Test
    void suite_eachOfItsChecks_catchesSomeWrongServer() {
        var names =
                new SuiteRun(suite, _ -> null)
                        .names().stream().map(WrongServers::testOf).collect(Collectors.toSet());
        var catching =
                wrongServers()
                        .map(Wrong::caughtBy)
                        .flatMap(List::stream)
                        .collect(Collectors.toSet());
        var neverSeenToFail = new HashSet<>(names);
        neverSeenToFail.removeAll(catching);
        assertThat(neverSeenToFail).containsExactlyInAnyOrderElementsOf(ofProcesses);
        assertThat(names).containsAll(catching);
    }

    private static String testOf(String name) {
        return name.substring(name.indexOf('.') + 1);
    }
}
