package dht.stage1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.concurrent.ClientThreads;
import dht.testkit.concurrent.Deadline;
import dht.testkit.junit.LongByNature;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server process with its default options, whose values are overwritten again and again, once
 * without slow readers and once with them. The readers may cost little more disk and memory.
 */
@Timeout(600)
class SlowReadersProcessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int VALUE_BYTES = 4 << 20;
    private static final int VALUES = 20; // 80 MiB.
    private static final int ROUNDS = 7;
    private static final int READERS =
            14; // Two begin in each round: one of a value, one of a range.

    /** --pinned-size-max is 128 MiB; the rest is for what one sample may meet in the middle. */
    private static final long MORE_BYTES_MAX = 200L << 20;

    /** Above --data-rate-min, so that no reader is closed because of its rate alone. */
    private static final int DRIP_BYTES = 4096;

    private static final long DRIP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    @TempDir private Path directory;
    private final HttpClient client = HttpClient.newHttpClient();

    private record Usage(long diskBytes, long residentBytes) {}

    /** A server process. */
    private record Server(Process process, URI url, Path data, Path log) implements AutoCloseable {
        @Override
        public void close() {
            process.destroyForcibly();
        }

        Usage usage() {
            try (Stream<Path> files = Files.list(data);
                    Stream<String> status =
                            Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
                return new Usage(
                        files.mapToLong(file -> file.toFile().length()).sum(),
                        status.filter(line -> line.startsWith("VmRSS:"))
                                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                                .sum());
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    private Server start(String name) throws IOException {
        Path log = directory.resolve(name + ".log");
        Path data = directory.resolve(name);
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx128m",
                                "-XX:+AlwaysPreTouch", // The heap counts fully from the beginning.
                                "-Xms128m",
                                "--sun-misc-unsafe-memory-access=allow",
                                "--enable-native-access=ALL-UNNAMED",
                                "-Dorg.slf4j.simpleLogger.log.dht.storage.lsm.Pins=warn",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                "--port=0",
                                "--data=" + data)
                        .redirectError(log.toFile())
                        .start();
        String ready = process.inputReader().readLine();
        return new Server(process, URI.create(ready.replace("ready ", "")), data, log);
    }

    @Test
    @LongByNature
    void slowReaders_ofOverwrittenValues_costLittleAndAreNamedInTheLog() throws Exception {
        Usage without;
        try (Server server = start("without")) {
            for (int round = 0; round < ROUNDS; round++) {
                overwriteAll(server, round);
            }
            without = settled(server);
        }
        BlockingQueue<Socket> readers = new LinkedBlockingQueue<>();
        try (Server server = start("with");
                ClientThreads drips = ClientThreads.start(READERS, _ -> readSlowly(readers))) {
            overwriteAll(server, 0);
            for (int round = 0; round < ROUNDS; round++) {
                readers.add(ask(server, "/v0/entity?id=" + key(round)));
                readers.add(ask(server, "/v0/entities?start=" + key(0)));
                overwriteAll(server, round);
            }

            boolean isLittleMore =
                    Deadline.in(PATIENCE).reached(() -> isLittleMore(server.usage(), without));

            assertThat(isLittleMore)
                    .as("at most 200 MiB more: %s, without readers: %s", server.usage(), without)
                    .isTrue();
            assertThat(Files.readString(server.log)).contains("slow clients are cut off");
        }
    }

    private static boolean isLittleMore(Usage with, Usage without) {
        return with.diskBytes - without.diskBytes < MORE_BYTES_MAX
                && with.residentBytes - without.residentBytes < MORE_BYTES_MAX;
    }

    /** Once flushes and merges have ended. */
    private static Usage settled(Server server) {
        Usage[] last = {server.usage()};
        long[] sinceNanos = {System.nanoTime()};
        Deadline.in(PATIENCE)
                .await(
                        "a data directory that no longer changes",
                        () -> {
                            Usage now = server.usage();
                            if (now.diskBytes != last[0].diskBytes) {
                                sinceNanos[0] = System.nanoTime();
                            }
                            last[0] = now;
                            return System.nanoTime() - sinceNanos[0] > TimeUnit.SECONDS.toNanos(1);
                        });
        return last[0];
    }

    private static String key(int number) {
        return "key%02d".formatted(number);
    }

    private void overwriteAll(Server server, int round) {
        byte[] value = new byte[VALUE_BYTES];
        Arrays.fill(value, (byte) ('A' + round));
        for (int i = 0; i < VALUES; i++) {
            HttpRequest put =
                    HttpRequest.newBuilder(server.url.resolve("/v0/entity?id=" + key(i)))
                            .PUT(BodyPublishers.ofByteArray(value))
                            .build();
            // The disk may be slower than this client.
            Deadline.in(PATIENCE).await("a value to be stored", () -> isStored(put));
        }
    }

    private boolean isStored(HttpRequest put) {
        try {
            return client.send(put, BodyHandlers.discarding()).statusCode() == 201;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Reads the begin of an answer. */
    private static Socket ask(Server server, String target) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(DRIP_BYTES);
        socket.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.url.getPort()));
        socket.getOutputStream()
                .write(("GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n").getBytes(ISO_8859_1));
        assertThat(new String(socket.getInputStream().readNBytes(15), ISO_8859_1))
                .isEqualTo("HTTP/1.1 200 OK");
        return socket;
    }

    /** Reads one answer, until the server or the end of the test breaks it off. */
    private static void readSlowly(BlockingQueue<Socket> readers) throws InterruptedException {
        byte[] drip = new byte[DRIP_BYTES];
        try (Socket socket = readers.take();
                InputStream answer = socket.getInputStream()) {
            while (answer.read(drip) > 0 && !Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(DRIP_NANOS);
            }
        } catch (IOException _) {
            // It was cut off.
        }
    }
}
