package dht.testkit.exercise;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.engine.JupiterTestEngine;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * One run of some tests with the classes of some folders.
 *
 * @param folders whose classes come first; see {@link OverlayClassLoader}
 * @param tests each {@code dht.some.ClassTest} or {@code dht.some.ClassTest#method}, where {@code
 *     *} in the method's name stands for anything
 * @param left tests, as {@code dht.some.ClassTest#method}, that are left out
 * @param testTimeout how long one test may take, as JUnit writes it: {@code 10 s}. It is then
 *     interrupted and has failed; one that cannot be interrupted goes on, and the asking process
 *     has to end this one
 */
record TestRun(List<Path> folders, List<String> tests, List<String> left, String testTimeout) {
    private static final String CLASS_PATH = "java.class.path";

    private static final LauncherConfig LAUNCHER =
            LauncherConfig.builder()
                    .enableTestEngineAutoRegistration(false)
                    .enableLauncherSessionListenerAutoRegistration(false)
                    .enableLauncherDiscoveryListenerAutoRegistration(false)
                    .enableTestExecutionListenerAutoRegistration(false)
                    .enablePostDiscoveryFilterAutoRegistration(false)
                    .addTestEngines(new JupiterTestEngine())
                    .build();

    /** From a request with {@code folders}, {@code tests}, {@code left} and {@code testTimeout}. */
    static TestRun of(Request request) {
        return new TestRun(
                request.paths("folders"),
                request.texts("tests"),
                request.texts("left"),
                request.text("testTimeout"));
    }

    /**
     * Tells {@code event=started} and {@code event=test} of each test: {@code suite} (its class),
     * {@code test} (its method), {@code outcome} ({@code passed}, {@code failed}, {@code not run}),
     * {@code seconds}, and {@code message} and {@code trace} where there are any.
     *
     * @throws IOException if the class files cannot be read
     * @throws ClassNotFoundException if there is no such test class
     */
    void run(Consumer<Map<String, Object>> events) throws IOException, ClassNotFoundException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        String pathBefore = System.setProperty(CLASS_PATH, classPath());
        try (var loader = new OverlayClassLoader(folders, TestRun.class.getClassLoader())) {
            thread.setContextClassLoader(loader);
            LauncherDiscoveryRequest request = request(loader);
            try (var session = LauncherFactory.openSession(LAUNCHER)) {
                session.getLauncher().execute(request, new Listener(events));
            }
        } finally {
            System.setProperty(CLASS_PATH, pathBefore);
            thread.setContextClassLoader(before);
        }
    }

    /** For tests that start a JVM of their own with the class path of this one. */
    private String classPath() {
        Stream<String> own = folders.stream().map(Path::toString);
        return Stream.concat(own, Stream.of(System.getProperty(CLASS_PATH)))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private LauncherDiscoveryRequest request(ClassLoader loader) throws ClassNotFoundException {
        var selectors = new ArrayList<DiscoverySelector>();
        for (String name : tests.stream().map(TestRun::className).distinct().toList()) {
            selectors.add(DiscoverySelectors.selectClass(Class.forName(name, false, loader)));
        }
        PostDiscoveryFilter filter = test -> FilterResult.includedIf(isWanted(test));
        return LauncherDiscoveryRequestBuilder.request()
                .selectors(selectors)
                .filters(filter)
                .configurationParameter("junit.jupiter.execution.timeout.default", testTimeout)
                .build();
    }

    private static String className(String test) {
        int hash = test.indexOf('#');
        return hash < 0 ? test : test.substring(0, hash);
    }

    private boolean isWanted(TestDescriptor test) {
        if (!(test.getSource().orElse(null) instanceof MethodSource method)) {
            return true;
        }
        String name = method.getClassName() + "#" + method.getMethodName();
        return !left.contains(name) && tests.stream().anyMatch(wanted -> matches(wanted, method));
    }

    private static boolean matches(String wanted, MethodSource method) {
        String suite = className(wanted);
        String actual = method.getClassName();
        boolean isSuite = actual.equals(suite) || actual.startsWith(suite + "$");
        if (!isSuite || wanted.equals(suite)) {
            return isSuite;
        }
        String[] literal = wanted.substring(suite.length() + 1).split("\\*", -1);
        String pattern = String.join(".*", Arrays.stream(literal).map(Pattern::quote).toList());
        return Pattern.matches(pattern, method.getMethodName());
    }

    /** Turns what JUnit tells into events. Thread-safe: tests may run side by side. */
    private static final class Listener implements TestExecutionListener {
        private static final int TRACE_LINES_MAX = 3;

        /** Of a parameterized test: {@code name(Type)[2]}. */
        private static final Pattern REPETITION = Pattern.compile("(\\[\\d+\\])+$");

        private final Consumer<Map<String, Object>> events;
        private final Map<String, Long> startedNanos = new ConcurrentHashMap<>();

        Listener(Consumer<Map<String, Object>> events) {
            this.events = events;
        }

        @Override
        public void executionStarted(TestIdentifier test) {
            startedNanos.put(test.getUniqueId(), System.nanoTime());
            if (test.isTest()) {
                tell(event("started", test));
            }
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            Map<String, Object> event = event("test", test);
            event.put("outcome", "not run");
            event.put("message", reason);
            tell(event);
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            boolean isFailed = result.getStatus() == TestExecutionResult.Status.FAILED;
            if (!test.isTest() && !isFailed) {
                return;
            }
            Map<String, Object> event = event("test", test);
            event.put("outcome", outcome(result.getStatus()));
            Long started = startedNanos.remove(test.getUniqueId());
            long nanos = started == null ? 0 : System.nanoTime() - started;
            event.put("seconds", nanos / 1e9);
            result.getThrowable().ifPresent(failure -> describe(failure, event));
            tell(event);
        }

        private synchronized void tell(Map<String, Object> event) {
            events.accept(event);
        }

        private static String outcome(TestExecutionResult.Status status) {
            return switch (status) {
                case SUCCESSFUL -> "passed";
                case FAILED -> "failed";
                case ABORTED -> "not run";
            };
        }

        private static void describe(Throwable failure, Map<String, Object> event) {
            String message = failure.getMessage();
            boolean isPlain =
                    message != null
                            && (failure instanceof AssertionError
                                    || failure instanceof UnsupportedOperationException);
            event.put("message", isPlain ? message : failure.toString());
            List<String> trace =
                    Arrays.stream(failure.getStackTrace())
                            .filter(frame -> frame.getClassName().startsWith("dht."))
                            .limit(TRACE_LINES_MAX)
                            .map(frame -> "at " + frame)
                            .toList();
            event.put("trace", trace);
        }

        private static Map<String, Object> event(String kind, TestIdentifier test) {
            Map<String, Object> event = new LinkedHashMap<>();
            event.put("event", kind);
            Optional<TestSource> source = test.getSource();
            String suite = "";
            String name = test.getDisplayName();
            if (source.orElse(null) instanceof MethodSource method) {
                suite = method.getClassName();
                Matcher repetition = REPETITION.matcher(test.getLegacyReportingName());
                name = method.getMethodName() + (repetition.find() ? repetition.group() : "");
            } else if (source.orElse(null) instanceof ClassSource type) {
                suite = type.getClassName();
            }
            event.put("suite", suite);
            event.put("test", name);
            return event;
        }
    }
}
