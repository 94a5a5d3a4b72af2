package dht.testkit.runner;

import dht.testkit.junit.Contract;
import dht.testkit.node.NodeFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.engine.JupiterTestEngine;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** One run of a suite, or of a part of it, against one kind of server. For one thread. */
public final class SuiteRun {
    /** Uses only the Jupiter engine, and no other listener of the class path. */
    private static final LauncherConfig LAUNCHER =
            LauncherConfig.builder()
                    .enableTestEngineAutoRegistration(false)
                    .enableLauncherSessionListenerAutoRegistration(false)
                    .enableLauncherDiscoveryListenerAutoRegistration(false)
                    .enableTestExecutionListenerAutoRegistration(false)
                    .enablePostDiscoveryFilterAutoRegistration(false)
                    .addTestEngines(new JupiterTestEngine())
                    .build();

    private final List<? extends Class<? extends Contract>> suites;
    private final NodeFactory factory;
    private final Map<String, String> parameters = new HashMap<>();
    private Predicate<String> only = _ -> true;

    public SuiteRun(Class<? extends Contract> suite, NodeFactory factory) {
        this(List.of(suite), factory);
    }

    /** A run of several suites, one after the other. */
    public SuiteRun(List<? extends Class<? extends Contract>> suites, NodeFactory factory) {
        this.suites = List.copyOf(suites);
        this.factory = factory;
    }

    /** Selects the tests whose {@link TestResult#name} matches. */
    public SuiteRun only(Predicate<String> names) {
        only = names;
        return this;
    }

    /** Sets a configuration parameter of JUnit; see {@link dht.testkit.junit.ContractExtension}. */
    public SuiteRun parameter(String name, Object value) {
        parameters.put(name, String.valueOf(value));
        return this;
    }

    /** The names of the tests that {@link #run} would run. */
    public List<String> names() {
        try (var session = LauncherFactory.openSession(LAUNCHER)) {
            var plan = session.getLauncher().discover(request());
            return plan.getRoots().stream()
                    .flatMap(root -> plan.getDescendants(root).stream())
                    .filter(TestIdentifier::isTest)
                    .map(test -> nameOf(test.getSource()).orElseThrow())
                    .toList();
        }
    }

    /**
     * Runs the tests, in the order of the contracts.
     *
     * @param live receives each result when its test ends
     */
    public List<TestResult> run(Consumer<TestResult> live) {
        var results = new ArrayList<TestResult>();
        try (var session = LauncherFactory.openSession(LAUNCHER)) {
            SuppliedFactory.supply(session, factory);
            var listener = new Listener(live.andThen(results::add));
            session.getLauncher().execute(request(), listener);
        }
        return results;
    }

    private LauncherDiscoveryRequest request() {
        PostDiscoveryFilter filter =
                test -> FilterResult.includedIf(nameOf(test).map(only::test).orElse(true));
        return LauncherDiscoveryRequestBuilder.request()
                .selectors(suites.stream().map(DiscoverySelectors::selectClass).toList())
                .filters(filter)
                .configurationParameters(parameters)
                .build();
    }

    private static Optional<String> nameOf(TestDescriptor test) {
        return test.isTest() ? nameOf(test.getSource()) : Optional.empty();
    }

    /**
     * The name of a test. It contains the contract that declares the test, not the suite that
     * inherits it.
     */
    private static Optional<String> nameOf(Optional<TestSource> source) {
        return source.filter(MethodSource.class::isInstance)
                .map(method -> ((MethodSource) method).getJavaMethod())
                .map(method -> method.getDeclaringClass().getSimpleName() + "." + method.getName());
    }

    /** A JUnit listener that creates the results. */
    private static final class Listener implements TestExecutionListener {
        private final Consumer<TestResult> results;
        private long startNanos;

        Listener(Consumer<TestResult> results) {
            this.results = results;
        }

        @Override
        public void executionStarted(TestIdentifier test) {
            startNanos = System.nanoTime();
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.isTest() || result.getStatus() == TestExecutionResult.Status.FAILED) {
                results.accept(resultOf(test, outcome(result)));
            }
        }

        private TestResult resultOf(TestIdentifier test, TestResult.Outcome outcome) {
            var name = nameOf(test.getSource()).orElse("Suite." + test.getDisplayName());
            var dot = name.indexOf('.');
            var duration = Duration.ofNanos(System.nanoTime() - startNanos);
            return new TestResult(
                    name.substring(0, dot), name.substring(dot + 1), outcome, duration);
        }

        private static TestResult.Outcome outcome(TestExecutionResult result) {
            var message = result.getThrowable().map(Listener::messageOf).orElse("");
            return switch (result.getStatus()) {
                case SUCCESSFUL -> new TestResult.Outcome.Passed();
                case FAILED -> new TestResult.Outcome.Failed(message);
                case ABORTED -> new TestResult.Outcome.NotRun(message);
            };
        }

        private static String messageOf(Throwable failure) {
            return Optional.ofNullable(failure.getMessage()).orElseGet(failure::toString);
        }
    }
}
