package dht.testkit.exercise;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.engine.JupiterTestEngine;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * One run of some tests with the classes of some folders. Immutable.
 *
 * @param folders the folders whose classes are used first; see {@link OverlayClassLoader}
 * @param tests each {@code dht.some.ClassTest} or {@code dht.some.ClassTest#method}; {@code *} in
 *     the method's name matches any text
 * @param left tests that are not run, in the same form; {@code *} is also allowed in the class's
 *     name
 * @param testTimeout how long one test may take; see {@link TimeLimit}
 */
record TestRun(List<Path> folders, List<String> tests, List<String> left, Duration testTimeout) {
    private static final String CLASS_PATH = "java.class.path";

    /**
     * The JUnit parameter for the timeout of methods that run before or after all tests of a class.
     */
    private static final String LIFECYCLE_TIMEOUT =
            "junit.jupiter.execution.timeout.lifecycle.method.default";

    private static final LauncherConfig LAUNCHER =
            LauncherConfig.builder()
                    .enableTestEngineAutoRegistration(false)
                    .enableLauncherSessionListenerAutoRegistration(false)
                    .enableLauncherDiscoveryListenerAutoRegistration(false)
                    .enableTestExecutionListenerAutoRegistration(false)
                    .enablePostDiscoveryFilterAutoRegistration(false)
                    .addTestEngines(new JupiterTestEngine())
                    .build();

    /**
     * Reads the fields {@code folders}, {@code tests}, {@code left} and {@code testTimeoutS} of a
     * request.
     */
    static TestRun of(Request request) {
        return new TestRun(
                request.paths("folders"),
                request.texts("tests"),
                request.texts("left"),
                Duration.ofSeconds(Long.parseLong(request.text("testTimeoutS"))));
    }

    /**
     * Runs the tests. For each test it sends {@code event=started}, then {@code event=test} with
     * {@code suite} (its class), {@code test} (its method), {@code outcome} ({@code passed}, {@code
     * failed}, {@code not run}), {@code seconds}, and perhaps {@code message} and {@code trace}.
     * Between them comes {@code event=overdue} if the time of the test is over. If what comes
     * before or after all tests of a class fails, {@code event=test} has an empty {@code test}.
     *
     * @param events receives the events
     * @throws IOException if the class files cannot be read
     * @throws ClassNotFoundException if there is no such test class
     */
    void run(Consumer<Map<String, Object>> events) throws IOException, ClassNotFoundException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        String pathBefore = System.setProperty(CLASS_PATH, classPath());
        try (var loader = new OverlayClassLoader(folders, TestRun.class.getClassLoader());
                var limit = new TimeLimit(testTimeout)) {
            thread.setContextClassLoader(loader);
            LauncherDiscoveryRequest request = request(loader);
            try (var session = LauncherFactory.openSession(LAUNCHER)) {
                session.getLauncher().execute(request, new TestEvents(limit, events));
            }
        } finally {
            System.setProperty(CLASS_PATH, pathBefore);
            thread.setContextClassLoader(before);
        }
    }

    /** The class path for tests that start another JVM. */
    private String classPath() {
        Stream<String> own = folders.stream().map(Path::toString);
        return Stream.concat(own, Stream.of(System.getProperty(CLASS_PATH)))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private LauncherDiscoveryRequest request(ClassLoader loader) throws ClassNotFoundException {
        var selectors = new ArrayList<DiscoverySelector>();
        for (String name : wanted().map(TestPattern::suite).distinct().toList()) {
            selectors.add(DiscoverySelectors.selectClass(Class.forName(name, false, loader)));
        }
        PostDiscoveryFilter filter = test -> FilterResult.includedIf(isWanted(test));
        return LauncherDiscoveryRequestBuilder.request()
                .selectors(selectors)
                .filters(filter)
                .configurationParameter(LIFECYCLE_TIMEOUT, testTimeout.toSeconds() + " s")
                .build();
    }

    private Stream<TestPattern> wanted() {
        return tests.stream().map(TestPattern::of);
    }

    private boolean isWanted(TestDescriptor test) {
        if (!(test.getSource().orElse(null) instanceof MethodSource method)) {
            return true;
        }
        boolean isLeftOut =
                left.stream().map(TestPattern::of).anyMatch(each -> each.matches(method));
        return !isLeftOut && wanted().anyMatch(each -> each.matches(method));
    }
}
