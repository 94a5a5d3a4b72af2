package dht.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what happens to a server's process when one of its threads fails. */
@Timeout(120)
class UncaughtFailureTest {
    /** A server of which a thread fails as soon as it is ready. */
    static final class FailingServer {
        private static final int THREADS = 16;

        private FailingServer() {}

        public static void main(String[] arguments) throws Exception {
            System.exit(
                    ServerProcess.run(
                            _ -> {
                                fail(arguments[0]);
                                return "nowhere";
                            }));
        }

        private static void fail(String how) {
            switch (how) {
                case "bug" -> new Thread(FailingServer::bug, "vital").start();
                case "bugs" -> {
                    CyclicBarrier atOnce = new CyclicBarrier(THREADS);
                    for (int i = 0; i < THREADS; i++) {
                        new Thread(() -> bugAtOnce(atOnce), "vital").start();
                    }
                }
                case "memory" -> new Thread(() -> takeAll(new ArrayList<>()), "vital").start();
                default -> throw new IllegalArgumentException(how);
            }
        }

        private static void bugAtOnce(CyclicBarrier atOnce) {
            try {
                atOnce.await();
            } catch (InterruptedException | BrokenBarrierException e) {
                throw new IllegalStateException(e);
            }
            bug();
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
    void threads_thatFailAtOnce_endTheProcessWithOneLine() throws Exception {
        Ended ended = run("bugs");
        assertThat(ended.exitCode).isEqualTo(UncaughtFailure.EXIT_CODE);
        assertThat(ended.err).contains("made to fail").hasLineCount(1);
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
