package dht.stage1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.command.ResourceStack;
import dht.command.ServerProcess;
import dht.command.StageCommand;
import dht.http.HttpOptions;
import dht.http.ListenAddress;
import dht.storage.Dao;
import dht.storage.ReadOutcome;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Tests what happens to the process of a real server when one of the threads fails that it cannot
 * do without, and when it has no memory left. The storage, the log or the limits that the server is
 * given make it fail.
 */
@Timeout(120)
class FailedThreadTest {
    /** Documented in docs/reference/command-line.md. */
    private static final int FAILED = 3;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A stop takes 10 s at most. The collector that finds no memory slows it down. */
    private static final int STOP_SECONDS_MAX = 30;

    /** More than sockets take. */
    private static final int VALUE_BYTES = 8 << 20;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** A server with another storage, other limits, or another log. */
    @Command(name = "server")
    static final class Server implements Callable<Integer> {
        @Option(names = "--connections-max")
        private int connectionsMax = 100;

        @Option(names = "--without-log")
        private boolean withoutLog;

        private Object[] taken; // All memory, once a value has been written.

        public static void main(String[] args) {
            StageCommand.main(new Server(), args);
        }

        @Override
        public Integer call() throws Exception {
            return ServerProcess.run(this::start);
        }

        private String start(ResourceStack resources) throws IOException {
            if (withoutLog) {
                System.setErr(new PrintStream(new FailingLog()));
            }
            Duration minute = Duration.ofMinutes(1);
            HttpOptions options =
                    new HttpOptions(
                            1,
                            connectionsMax,
                            8192,
                            100,
                            1 << 20,
                            1 << 20,
                            4,
                            minute,
                            minute,
                            1,
                            minute,
                            minute);
            ListenAddress address = ListenAddress.free("127.0.0.1", 0);
            return Stage1Server.start(resources, address, options, storage());
        }

        private Dao storage() {
            return (Dao)
                    Proxy.newProxyInstance(
                            Dao.class.getClassLoader(),
                            new Class<?>[] {Dao.class},
                            (_, method, _) ->
                                    switch (method.getName()) {
                                        case "greatestTimestampMicros" -> 0L;
                                        case "get" -> unreleasable();
                                        case "upsert" -> {
                                            Thread.ofPlatform().daemon().start(this::takeAll);
                                            yield null;
                                        }
                                        default -> throw new UnsupportedOperationException();
                                    });
        }

        /** A value; the thread that is done with it fails. */
        private static ReadOutcome unreleasable() {
            return new ReadOutcome.Found(
                    Arena.ofAuto().allocate(VALUE_BYTES),
                    1,
                    () -> {
                        throw new InternalError("made to fail");
                    });
        }

        /** Leaves no byte for anybody for longer than a pause. Says so without a new object. */
        private void takeAll() {
            FileOutputStream out = new FileOutputStream(FileDescriptor.out);
            byte[] word = "full\n".getBytes(US_ASCII);
            boolean isTold = false;
            while (true) {
                try {
                    for (int length = 1 << 18; ; length = Math.max(1, length / 2)) {
                        while (tryTake(length)) {}
                        if (length == 1 && !isTold) {
                            isTold = true;
                            out.write(word);
                        }
                    }
                } catch (IOException | OutOfMemoryError _) {
                    // The next round takes what others have left since then.
                }
                LockSupport.parkNanos(PAUSE_NANOS); // Or the collector would take all the time.
            }
        }

        private boolean tryTake(int length) {
            try {
                Object[] more = new Object[length];
                more[0] = taken;
                taken = more;
                return true;
            } catch (OutOfMemoryError _) {
                return false;
            }
        }
    }

    /** A log that cannot be written. */
    private static final class FailingLog extends OutputStream {
        @Override
        public void write(int b) {
            throw new InternalError("made to fail");
        }
    }

    private Process process;
    private BufferedReader output;

    private URI start(String... arguments) throws IOException {
        String[] command = {
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx16m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--sun-misc-unsafe-memory-access=allow",
            "--enable-native-access=ALL-UNNAMED",
            "-Dorg.slf4j.simpleLogger.log.one.nio.server.acceptor=debug",
            "-cp",
            System.getProperty("java.class.path"),
            Server.class.getName()
        };
        String[] all = new String[command.length + arguments.length];
        System.arraycopy(command, 0, all, 0, command.length);
        System.arraycopy(arguments, 0, all, command.length, arguments.length);
        process = new ProcessBuilder(all).start();
        output = process.inputReader(UTF_8);
        return URI.create(output.readLine().replace("ready ", ""));
    }

    @AfterEach
    void end() {
        process.destroyForcibly();
    }

    private static Socket connect(URI server) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096); // Or it could take the whole value.
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort()));
        return socket;
    }

    private static void send(Socket socket, String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(ISO_8859_1));
    }

    private String errorsOnceEnded(int seconds) throws Exception {
        assertThat(process.waitFor(seconds, TimeUnit.SECONDS)).as("it has ended").isTrue();
        return new String(process.getErrorStream().readAllBytes(), UTF_8);
    }

    @Test
    void selector_thatFails_endsTheProcessWithOneLine() throws Exception {
        URI server = start();
        try (Socket socket = connect(server)) {
            send(socket, "GET /v0/entity?id=k HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(new String(socket.getInputStream().readNBytes(15), ISO_8859_1))
                    .isEqualTo("HTTP/1.1 200 OK");
            // More than is sent before the selector waits for the socket.
            assertThat(socket.getInputStream().readNBytes(1 << 20)).hasSize(1 << 20);
            socket.setSoLinger(true, 0); // The connection breaks in the middle of the value.
        }

        String errors = errorsOnceEnded((int) PATIENCE.toSeconds());
        assertThat(process.exitValue()).isEqualTo(FAILED);
        assertThat(errors)
                .startsWith("server: thread=\"NIO Selector #0\" has failed: ")
                .contains("java.lang.InternalError: made to fail")
                .hasLineCount(1);
    }

    /** An acceptor catches all failures and logs them, so it fails only with the log. */
    @Test
    void acceptor_thatFails_endsTheProcessWithOneLine() throws Exception {
        URI server = start("--connections-max=0", "--without-log");
        try (Socket _ = connect(server)) {
            String errors = errorsOnceEnded((int) PATIENCE.toSeconds());
            assertThat(process.exitValue()).isEqualTo(FAILED);
            assertThat(errors)
                    .startsWith("server: thread=\"NIO Acceptor ")
                    .contains("java.lang.InternalError: made to fail")
                    .hasLineCount(1);
        }
    }

    /**
     * The JVM itself may have no memory to pass the signal on. Then the thread that checks
     * connections notices that no memory is left, and ends the process.
     */
    @Test
    void sigterm_whileTheHeapIsFull_endsTheProcessInTime() throws Exception {
        URI server = start();
        try (Socket socket = connect(server)) {
            send(socket, "PUT /v0/entity?id=k HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
            assertThat(output.readLine()).isIn("full", null); // Null: it has ended already.

            process.toHandle().destroy(); // That of the process would close its output.

            String errors = errorsOnceEnded(STOP_SECONDS_MAX);
            assertThat(process.exitValue()).as(errors).isIn(0, 1, FAILED);
        }
    }
}
