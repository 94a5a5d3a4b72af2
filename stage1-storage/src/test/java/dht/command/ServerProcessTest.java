package dht.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Tests how the process of a server ends: its exit code, one clear line, and no thread that keeps
 * the process running.
 */
@Timeout(120)
class ServerProcessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A server without HTTP that behaves as the test wants. */
    @Command(name = "probe")
    static final class Probe implements Callable<Integer> {
        @Option(names = "--behaviour")
        private String behaviour;

        private final CountDownLatch never = new CountDownLatch(1);

        public static void main(String[] args) {
            StageCommand.main(new Probe(), args);
        }

        @Override
        public Integer call() throws Exception {
            return ServerProcess.run(this::start);
        }

        private String start(ResourceStack resources) throws IOException {
            Thread.ofPlatform().name("no-daemon").start(this::waitForever);
            resources.open(() -> () -> System.out.println("closed"));
            switch (behaviour) {
                case "starts" -> {}
                case "starts-slowly" -> {
                    System.out.println("starting");
                    waitForever();
                }
                case "stops-slowly" ->
                        resources.open(
                                () ->
                                        () -> {
                                            System.out.println("stopping");
                                            waitForever();
                                        });
                case "fails" -> throw new IOException("the port is taken");
                case "dies" -> throw new OutOfMemoryError("made to fail");
                default -> throw new IllegalArgumentException(behaviour);
            }
            return "http://probe";
        }

        private void waitForever() {
            try {
                never.await();
            } catch (InterruptedException e) {
                throw new AssertionError("nobody interrupts it", e);
            }
        }
    }

    private Process process;
    private BufferedReader output;

    private void start(String behaviour) throws IOException {
        process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx64m",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Probe.class.getName(),
                                "--behaviour=" + behaviour)
                        .redirectErrorStream(true)
                        .start();
        output = process.inputReader();
    }

    @AfterEach
    void end() {
        process.destroyForcibly();
    }

    private void awaitLine(String line) throws IOException {
        assertThat(output.readLine()).isEqualTo(line);
    }

    private void sendSigterm() {
        process.toHandle().destroy(); // That of the process would close its output.
    }

    private void expectEnd(int exitCode, String... lines) throws Exception {
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(output.lines().toList()).isEqualTo(List.of(lines));
        assertThat(process.exitValue()).isEqualTo(exitCode);
    }

    @Test
    void sigterm_onceReady_closesAndExits0() throws Exception {
        start("starts");
        awaitLine("ready http://probe");
        sendSigterm();
        expectEnd(0, "closed");
    }

    @Test
    void sigterm_whileStarting_exits0AtOnceWithOneLine() throws Exception {
        start("starts-slowly");
        awaitLine("starting");
        sendSigterm();
        expectEnd(0, "stopped while starting: signal=TERM");
    }

    @Test
    void sigterm_whileStopping_exits143AtOnceWithOneLine() throws Exception {
        start("stops-slowly");
        awaitLine("ready http://probe");
        sendSigterm();
        awaitLine("stopping");
        sendSigterm();
        expectEnd(143, "stopped at once: second signal=TERM");
    }

    @Test
    void start_failing_closesAndExits1WithOneLine() throws Exception {
        start("fails");
        expectEnd(1, "closed", "probe: the port is taken");
    }

    @Test
    void start_withoutMemory_closesAndExits1WithOneLine() throws Exception {
        start("dies");
        expectEnd(
                1,
                "closed",
                "probe: out of memory: made to fail: give Java more, such as -Xmx256m");
    }
}
