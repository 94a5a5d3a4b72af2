package dht.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a server's process when one of its threads fails. */
@Timeout(120)
class UncaughtFailureTest {
    /** A server of which a thread fails as soon as it is ready. */
    static final class FailingServer {
        private FailingServer() {}

        public static void main(String[] arguments) throws Exception {
            Runnable failure =
                    arguments[0].equals("bug")
                            ? FailingServer::bug
                            : () -> takeAll(new ArrayList<>());
            System.exit(
                    ServerProcess.run(
                            _ -> {
                                new Thread(failure, "vital").start();
                                return "nowhere";
                            }));
        }

        private static void bug() {
            throw new IllegalStateException("made to fail");
        }

        /** Leaves no byte for anybody. */
        private static void takeAll(List<byte[]> all) {
            for (int bytes = 1 << 20; bytes > 0; ) {
                try {
                    all.add(new byte[bytes]);
                } catch (OutOfMemoryError e) {
                    bytes /= 2;
                }
            }
            while (true) {
                all.add(new byte[16]);
            }
        }
    }

    @Test
    void thread_thatFails_endsTheProcessWithOneLine() throws Exception {
        Ended ended = run("bug");
        assertThat(ended.exitCode).isEqualTo(UncaughtFailure.EXIT_CODE);
        assertThat(ended.err)
                .contains("thread=\"vital\"")
                .contains("java.lang.IllegalStateException: made to fail")
                .hasLineCount(1);
    }

    @Test
    void thread_thatFailsWithoutMemoryLeft_endsTheProcessWithOneLine() throws Exception {
        Ended ended = run("memory");
        assertThat(ended.exitCode).isEqualTo(UncaughtFailure.EXIT_CODE);
        assertThat(ended.err).startsWith("server: ").hasLineCount(1);
    }

    private record Ended(int exitCode, String err) {}

    private static Ended run(String failure) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx16m",
                                "-XX:+UseSerialGC",
                                "-cp",
                                System.getProperty("java.class.path"),
                                FailingServer.class.getName(),
                                failure)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it has ended").isTrue();
            return new Ended(
                    process.exitValue(), new String(process.getErrorStream().readAllBytes()));
        } finally {
            process.destroyForcibly();
        }
    }
}
