package dht.stage1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.concurrent.ClientThreads;
import dht.testkit.concurrent.Deadline;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.Ports;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
 * without slow readers and once with them. The readers may cost little more disk and memory, in
 * every round.
 *
 * <p>Flushes and merges need disk and memory, too, and the server counts a reader as slow only
 * after a second. So that both runs can be compared, flushes and merges end after each few writes,
 * and a round begins when the server knows its readers.
 */
@Timeout(600)
class SlowReadersProcessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int VALUE_BYTES = 4 << 20;
    private static final int VALUES = 20; // 80 MiB.
    private static final int WRITES_AT_ONCE = 4;
    private static final int ROUNDS = 7;
    private static final int READERS =
            14; // Two begin in each round: one of a value, one of a range.

    /** --pinned-size-max is 128 MiB; the rest is for what is being replaced at the moment. */
    private static final long MORE_BYTES_MAX = 200L << 20;

    /** After this time, the server has noticed that a reader is slow. */
    private static final Duration KNOWN = Duration.ofSeconds(3);

    /** A flush or a merge changes the directory many times in this time. */
    private static final Duration UNCHANGED = Duration.ofSeconds(1);

    private static final Duration LONG_UNCHANGED = Duration.ofSeconds(3);

    /** Above --data-rate-min, so that no reader is closed because of its rate alone. */
    private static final int DRIP_BYTES = 4096;

    private static final long DRIP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    @TempDir private Path directory;
    private final HttpClient client = HttpClient.newHttpClient();

    private record Usage(long diskBytes, long residentBytes) {
        Usage max(Usage other) {
            return new Usage(
                    Math.max(diskBytes, other.diskBytes),
                    Math.max(residentBytes, other.residentBytes));
        }

        @Override
        public String toString() {
            return "%,d MiB of disk and %,d MiB of memory"
                    .formatted(diskBytes >> 20, residentBytes >> 20);
        }
    }

    /**
     * @param most the greatest usage in the round
     * @param last the usage when flushes and merges had ended
     */
    private record Round(Usage most, Usage last) {}

    /** Begins the readers of a round. */
    private interface Readers {
        void begin(Server server, int round) throws IOException;
    }

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
                                "--port=" + Ports.lease().port(),
                                "--data=" + data)
                        .redirectError(log.toFile())
                        .start();
        String ready = process.inputReader().readLine();
        return new Server(process, URI.create(ready.replace("ready ", "")), data, log);
    }

    @Test
    @LongByNature
    void slowReaders_ofOverwrittenValues_costLittleAndAreNamedInTheLog() throws Exception {
        List<Round> without = usages("without", (_, _) -> {});
        BlockingQueue<Socket> readers = new LinkedBlockingQueue<>();
        List<Round> with;
        try (ClientThreads drips = ClientThreads.start(READERS, _ -> readSlowly(readers))) {
            with = usages("with", (server, round) -> begin(server, round, readers));
        }
        for (int round = 0; round < ROUNDS; round++) {
            String name = "round " + round;
            assertIsLittleMore(name, with.get(round).most, without.get(round).most);
            assertIsLittleMore(name + ", end", with.get(round).last, without.get(round).last);
        }
        assertThat(Files.readString(directory.resolve("with.log")))
                .contains("slow clients are cut off");
    }

    private static void assertIsLittleMore(String when, Usage with, Usage without) {
        long moreDiskBytes = with.diskBytes - without.diskBytes;
        long moreResidentBytes = with.residentBytes - without.residentBytes;
        assertThat(Math.max(moreDiskBytes, moreResidentBytes))
                .as("%s: at most 200 MiB more: %s, without readers: %s", when, with, without)
                .isLessThan(MORE_BYTES_MAX);
    }

    private List<Round> usages(String name, Readers readers) throws IOException {
        List<Round> usages = new ArrayList<>();
        try (Server server = start(name)) {
            overwriteAll(server, 0);
            for (int round = 0; round < ROUNDS; round++) {
                readers.begin(server, round);
                usages.add(overwriteAll(server, round));
            }
        }
        return usages;
    }

    private static void begin(Server server, int round, BlockingQueue<Socket> readers)
            throws IOException {
        readers.add(ask(server, "/v0/entity?id=" + key(round)));
        readers.add(ask(server, "/v0/entities?start=" + key(0)));
        Deadline.in(KNOWN).reached(() -> !server.process.isAlive());
    }

    private static String key(int number) {
        return "key%02d".formatted(number);
    }

    private Round overwriteAll(Server server, int round) {
        byte[] value = new byte[VALUE_BYTES];
        Arrays.fill(value, (byte) ('A' + round));
        Usage most = server.usage();
        for (int i = 0; i < VALUES; i++) {
            put(server, key(i), value);
            most = most.max(server.usage());
            if (i % WRITES_AT_ONCE == 0) {
                most = settle(server, most, UNCHANGED).most;
            }
        }
        return settle(server, most, LONG_UNCHANGED);
    }

    private void put(Server server, String key, byte[] value) {
        HttpRequest put =
                HttpRequest.newBuilder(server.url.resolve("/v0/entity?id=" + key))
                        .PUT(BodyPublishers.ofByteArray(value))
                        .build();
        // The disk may be slower than this client.
        Deadline.in(PATIENCE).await("a value to be stored", () -> isStored(put));
    }

    /**
     * Waits until flushes and merges have ended.
     *
     * @param before the greatest usage up to now
     */
    private static Round settle(Server server, Usage before, Duration unchanged) {
        Usage[] last = {server.usage()};
        Usage[] most = {before.max(last[0])};
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
                            most[0] = most[0].max(now);
                            return System.nanoTime() - sinceNanos[0] > unchanged.toNanos();
                        });
        return new Round(most[0], last[0]);
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
