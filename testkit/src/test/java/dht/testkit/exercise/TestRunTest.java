package dht.testkit.exercise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compiles small classes and their tests into folders, and runs them as an exercise is checked. */
class TestRunTest {
    private static final String RIGHT =
            "package dht.sample; class Sum { int of(int a, int b) { return a + b; } }";
    private static final String WRONG =
            "package dht.sample; class Sum { int of(int a, int b) { return a - b; } }";
    private static final String TESTS =
            """
            package dht.sample;
            import org.junit.jupiter.api.Assertions;
            import org.junit.jupiter.api.Assumptions;
            import org.junit.jupiter.api.Test;
            import org.junit.jupiter.params.ParameterizedTest;
            import org.junit.jupiter.params.provider.ValueSource;
            class SumTest {
                @Test void of_two_isTheirSum() { Assertions.assertEquals(5, new Sum().of(2, 3)); }
                @Test void of_zero_isTheOther() { Assertions.assertEquals(2, new Sum().of(2, 0)); }
                @Test void of_negative_isNotRun() { Assumptions.abort("no negative numbers yet"); }
                @ParameterizedTest @ValueSource(ints = {1, 2})
                void of_same_isTwice(int a) { Assertions.assertEquals(2 * a, new Sum().of(a, a)); }
                @Test void slow() throws Exception { new java.util.concurrent.CountDownLatch(1).await(); }
            }
            """;
    private static final String PATIENT_TESTS =
            """
            package dht.sample;
            import java.util.concurrent.CountDownLatch;
            import org.junit.jupiter.api.AfterEach;
            import org.junit.jupiter.api.Test;
            import org.junit.jupiter.api.Timeout;
            @Timeout(60)
            class PatientTest {
                private boolean closing;
                @Test void of_two_waitsForEver() throws Exception { new Patient().await(); }
                @Test void of_two_waitsAndForgets() {
                    try { new Patient().await(); } catch (InterruptedException e) { closing = true; }
                }
                @AfterEach void close() throws Exception { if (closing) new Patient().await(); }
            }
            class Patient {
                void await() throws InterruptedException { new CountDownLatch(1).await(); }
            }
            """;

    private static final String UNPREPARED_TESTS =
            """
            package dht.sample;
            import org.junit.jupiter.api.BeforeAll;
            import org.junit.jupiter.api.Test;
            class UnpreparedTest {
                @BeforeAll static void prepare() { throw new UnsupportedOperationException("not built yet"); }
                @Test void of_two_isTheirSum() { }
            }
            """;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** For tests that never end. */
    private static final Duration SHORT = Duration.ofSeconds(1);

    @TempDir Path directory;
    private Path reference;

    @BeforeEach
    void compileReference() throws IOException {
        reference = compiled("reference", Map.of("Sum", RIGHT, "SumTest", TESTS), List.of());
    }

    private Path compiled(String folder, Map<String, String> sources, List<Path> classPath)
            throws IOException {
        var files = new ArrayList<Path>();
        for (var source : sources.entrySet()) {
            Path file = directory.resolve(folder + "-src").resolve(source.getKey() + ".java");
            Files.createDirectories(file.getParent());
            files.add(Files.writeString(file, source.getValue()));
        }
        Path target = directory.resolve(folder);
        var path = new ArrayList<>(classPath);
        Arrays.stream(System.getProperty("java.class.path").split(java.io.File.pathSeparator))
                .map(Path::of)
                .forEach(path::add);
        var events = new ArrayList<Map<String, Object>>();
        new Compilation(files, path, target, List.of()).run(events::add);
        assertThat(events.getLast()).as("%s", events).containsEntry("ok", true);
        return target;
    }

    private static Map<String, String> outcomes(
            List<Path> folders, List<String> left, String... tests) throws Exception {
        return outcomes(events(PATIENCE, folders, left, tests));
    }

    private static Map<String, String> outcomes(List<Map<String, Object>> events) {
        var outcomes = new java.util.TreeMap<String, String>();
        for (var event : events) {
            if (event.get("event").equals("test")) {
                outcomes.put(event.get("test").toString(), event.get("outcome").toString());
            }
        }
        return outcomes;
    }

    private static List<Map<String, Object>> events(
            Duration timeout, List<Path> folders, List<String> left, String... tests)
            throws Exception {
        var events = new ArrayList<Map<String, Object>>();
        new TestRun(folders, List.of(tests), left, timeout).run(events::add);
        return events;
    }

    @Test
    void run_aClass_tellsEachOutcome() throws Exception {
        var outcomes =
                outcomes(
                        List.of(reference),
                        List.of("dht.sample.SumTest#slow"),
                        "dht.sample.SumTest");

        assertThat(outcomes)
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                "of_two_isTheirSum", "passed",
                                "of_zero_isTheOther", "passed",
                                "of_negative_isNotRun", "not run",
                                "of_same_isTwice[1]", "passed",
                                "of_same_isTwice[2]", "passed"));
    }

    @Test
    void run_withAnOverlay_usesItsClassesFirst() throws Exception {
        Path overlay = compiled("overlay", Map.of("Sum", WRONG), List.of(reference));

        var outcomes =
                outcomes(List.of(overlay, reference), List.of(), "dht.sample.SumTest#of_*o*");

        assertThat(outcomes)
                .containsEntry("of_two_isTheirSum", "failed")
                .containsEntry("of_zero_isTheOther", "passed");
    }

    @Test
    void run_methodPattern_leavesOutTheOthers() throws Exception {
        assertThat(outcomes(List.of(reference), List.of(), "dht.sample.SumTest#of_zero*").keySet())
                .containsExactly("of_zero_isTheOther");
    }

    @Test
    void run_aTestThatWaitsForEver_failsAtItsTimeout() throws Exception {
        assertThat(
                        outcomes(
                                events(
                                        SHORT,
                                        List.of(reference),
                                        List.of(),
                                        "dht.sample.SumTest#slow")))
                .containsEntry("slow", "failed");
    }

    @Test
    @Timeout(30)
    void run_aClassWithALongerTimeout_isHeldToTheRunsOwnAndSaysWhereItWaited() throws Exception {
        Path patient = compiled("patient", Map.of("PatientTest", PATIENT_TESTS), List.of());

        var events = events(SHORT, List.of(patient), List.of(), "dht.sample.PatientTest");

        assertThat(events)
                .filteredOn(event -> event.get("event").equals("test"))
                .hasSize(2)
                .allSatisfy(
                        event ->
                                assertThat(event)
                                        .containsEntry("outcome", "failed")
                                        .containsEntry("hung", true)
                                        .extractingByKey("message")
                                        .asString()
                                        .startsWith(
                                                "it did not end within 1 s: it waited at"
                                                        + " dht.sample.Patient.await("));
        assertThat(events).filteredOn(event -> event.get("event").equals("overdue")).hasSize(2);
    }

    @Test
    void run_aClassThatCannotBePrepared_failsAsAWhole() throws Exception {
        Path unprepared =
                compiled("unprepared", Map.of("UnpreparedTest", UNPREPARED_TESTS), List.of());

        assertThat(events(PATIENCE, List.of(unprepared), List.of(), "dht.sample.UnpreparedTest"))
                .singleElement()
                .satisfies(
                        event ->
                                assertThat(event)
                                        .containsEntry("event", "test")
                                        .containsEntry("suite", "dht.sample.UnpreparedTest")
                                        .containsEntry("test", "")
                                        .containsEntry("outcome", "failed")
                                        .containsEntry("message", "not built yet"));
    }

    @Test
    void run_testsThatAreLeftOut_areNotEvenStarted() throws Exception {
        var events =
                events(
                        PATIENCE,
                        List.of(reference),
                        List.of("*#of_two*", "dht.sample.*Test#slow", "*#of_same_*"),
                        "dht.sample.SumTest");

        assertThat(events)
                .filteredOn(event -> event.get("event").equals("started"))
                .extracting(event -> event.get("test"))
                .containsExactlyInAnyOrder("of_zero_isTheOther", "of_negative_isNotRun");
    }

    @Test
    void run_unknownClass_isRefused() {
        assertThatThrownBy(() -> outcomes(List.of(reference), List.of(), "dht.sample.NoneTest"))
                .isInstanceOf(ClassNotFoundException.class);
    }

    @Test
    void run_leavesTheThreadAsItWas() throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        String path = System.getProperty("java.class.path");

        outcomes(List.of(reference), List.of(), "dht.sample.SumTest#of_zero*");

        assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
        assertThat(System.getProperty("java.class.path")).isEqualTo(path);
    }
}
