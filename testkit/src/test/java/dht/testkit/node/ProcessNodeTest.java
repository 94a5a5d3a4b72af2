package dht.testkit.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dht.testkit.Examples;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.transcript.Promise;
import dht.testkit.transcript.Transcript;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessNodeTest {
    private static final Duration SOON = Duration.ofSeconds(10);

    @Test
    void process_killed_leavesNothingOfItsTree() {
        try (var home = start("sh -c '" + Examples.python() + " & wait'")) {
            var pids = treeOf(home);
            assertThat(pids).hasSizeGreaterThanOrEqualTo(2);
            home.node().kill();
            assertThat(home.node().isRunning()).isFalse();
            assertThat(home.node().leftBehind()).isEmpty();
            assertThat(pids).noneMatch(ProcessTree::isAlive);
        }
    }

    @Test
    void process_behindAShell_getsTheSignalAndItsExitCodeIsSeen() {
        try (var home = start("sh -c '" + Examples.python() + "; exit 5'")) {
            home.node().stop();
            assertThat(home.node().exitCode()).isEqualTo(OptionalInt.of(5));
            assertThat(home.node().leftBehind()).isEmpty();
        }
    }

    @Test
    void process_whoseChildOutlivesIt_isToldAndCleared() {
        var home = start("sh -c 'sleep 1000 & exec " + Examples.python() + "'");
        var pids = treeOf(home);
        home.node().stop();
        assertThat(home.node().leftBehind()).singleElement().asString().contains("sleep");
        home.close();
        assertThat(Deadline.in(SOON).reached(() -> pids.stream().noneMatch(ProcessTree::isAlive)))
                .isTrue();
    }

    @Test
    void process_restarted_keepsPortAndData() {
        try (var home = start(Examples.python())) {
            var server =
                    new ServerUnderTest(
                            home, new Transcript("test", Promise.WRITTEN_IS_READ), SOON);
            var self = home.node().spec().self();
            var value = Values.small();
            server.put("key", value).expectStatus(201);
            server.restart();
            assertThat(home.node().spec().self()).isEqualTo(self);
            server.get("key").expectValue(value);
            server.close();
        }
    }

    @Test
    void process_paused_saysNothingUntilItGoesOn() {
        try (var home = start(Examples.python())) {
            var impatient =
                    new ServerUnderTest(
                            home,
                            new Transcript("test", Promise.STATUS_ANSWERS),
                            Duration.ofMillis(300));
            var connection = impatient.connect();
            home.node().pause();
            connection.send(Request.get(Target.STATUS));
            assertThat(catchThrowableOfType(AssertionError.class, connection::receive))
                    .hasMessageContaining("then silence");
            home.node().resume();
            new ServerUnderTest(home, new Transcript("test", Promise.STATUS_ANSWERS), SOON)
                    .status()
                    .expectStatus(200);
            impatient.close();
        }
    }

    @Test
    void process_thatEndsAtItsStart_isToldWithExitCodeAndOutput() {
        var failure = failureOf("sh -c 'echo to out; echo to err >&2; exit 3'");
        assertThat(failure.kind()).isEqualTo(StartFailure.Kind.REFUSED);
        assertThat(failure).hasMessageContainingAll("node-1", "exit code 3", "to out", "to err");
    }

    @Test
    void process_thatIsNoProgram_isTold() {
        var failure = failureOf("./no-such-program --port {port}");
        assertThat(failure.kind()).isEqualTo(StartFailure.Kind.NOT_RUN);
        assertThat(failure).hasMessageContaining("no-such-program");
    }

    @Test
    void process_whosePortIsTaken_getsAnotherOne() throws Exception {
        var marker = Files.createTempFile("testkit", "marker");
        // Fails once, as if it could not bind the port.
        var once =
                "if [ -e %s ]; then rm %s; echo OSError: Address already in use; exit 1; fi; exec %s"
                        .formatted(marker, marker, Examples.python());
        try (var home = start(once)) {
            assertThat(marker).doesNotExist();
            assertThat(home.node().isRunning()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xmx64m", "-Xmx65536k", "-Xmx67108864"})
    void jar_withABoundOfHeap_tellsIt(String flag) throws Exception {
        var jar = Files.createTempFile("testkit", ".jar");
        var spec = new NodeSpec("node-1", 1, jar, jar, List.of());
        var node = JarProcess.of(jar).jvmFlags("-Xmx1g", flag).create(spec);
        assertThat(node.memoryBytesMax()).hasValue(64 << 20);
        assertThat(JarProcess.of(jar).create(spec).memoryBytesMax()).isEmpty();
        Files.delete(jar);
    }

    private static NodeHome start(String command) {
        return NodeHome.start(CommandProcess.of(CommandLine.parse(command)), "node-1");
    }

    private static StartFailure failureOf(String command) {
        return catchThrowableOfType(StartFailure.class, () -> start(command).close());
    }

    /**
     * The processes that have the node's data directory on their command line, and their children.
     */
    private static List<ProcessHandle> treeOf(NodeHome home) {
        var data = home.node().spec().dataDir().toString();
        return ProcessHandle.current()
                .descendants()
                .filter(process -> process.info().commandLine().orElse("").contains(data))
                .flatMap(
                        process ->
                                java.util.stream.Stream.concat(
                                        java.util.stream.Stream.of(process), process.descendants()))
                .distinct()
                .toList();
    }
}
