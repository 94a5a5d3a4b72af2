package dht.stage1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.FastTempDir;
import dht.storage.OtherProcess;
import dht.testkit.junit.LongByNature;
import dht.testkit.node.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
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
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what is left in the data directory after a server process has stopped. */
@Timeout(120)
class StoppedServerTest {
    private static final int VALUE_BYTES = 16 << 20;
    private static final int VALUES = 15; // 240 MiB.

    private static final Duration STOP_MAX = Duration.ofSeconds(10);

    @TempDir(factory = FastTempDir.class)
    Path data;

    private final HttpClient client = HttpClient.newHttpClient();
    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endAll() {
        started.forEach(Process::destroyForcibly);
    }

    private record Server(Process process, String url) {}

    private Server start(String... options) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("--port=" + Ports.lease().port(), "--data=" + data));
        arguments.addAll(List.of(options));
        Process process = OtherProcess.start(Main.class, arguments.toArray(new String[0]));
        started.add(process);
        var output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        String line = output.readLine();
        return new Server(process, line == null ? "" : line.replace("ready ", ""));
    }

    @Test
    void withoutLog_lockFileDeleted_secondServerIsRefused() throws Exception {
        Server first = start("--durability=none");
        assertThat(put(first, "key", new byte[1])).isEqualTo(201);
        Files.delete(data.resolve("LOCK"));

        Server second = start("--durability=none");

        assertThat(second.process.waitFor()).isEqualTo(1);
        assertThat(get(first, "key")).isEqualTo(200);
    }

    @Test
    void withoutLog_killed_startsAgain() throws Exception {
        Server killed = start("--durability=none", "--memtable-size=1m", "--write-stall-max=60s");
        for (int i = 0; i < 5; i++) {
            assertThat(put(killed, "key" + i, new byte[1 << 20])).isEqualTo(201);
        }
        killed.process.destroyForcibly().waitFor();

        Server next = start("--durability=none");

        assertThat(get(next, "key0")).isIn(200, 404); // No promise but that it is served.
        assertThat(put(next, "key0", new byte[1])).isEqualTo(201);
        assertThat(get(next, "key0")).isEqualTo(200);
    }

    @Test
    @LongByNature
    void stop_muchUnflushedAndHalfABodyOpen_takesLittleTimeAndLosesNothing() throws Exception {
        Server stopped = start("--drain-timeout=1s", "--write-stall-max=60s");
        for (int i = 0; i < VALUES; i++) {
            assertThat(put(stopped, "key" + i, new byte[VALUE_BYTES])).isEqualTo(201);
        }
        int port = URI.create(stopped.url).getPort();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String head = "PUT /v0/entity?id=half HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n";
            socket.getOutputStream().write((head + "half").getBytes(ISO_8859_1));
            assertThat(get(stopped, "key0")).isEqualTo(200);

            long startNanos = System.nanoTime();
            stopped.process.destroy();
            int exitCode = stopped.process.waitFor();

            assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(STOP_MAX);
            assertThat(exitCode).isZero();
        }
        Server next = start();
        for (int i = 0; i < VALUES; i++) {
            assertThat(get(next, "key" + i)).isEqualTo(200);
        }
        assertThat(get(next, "half")).isEqualTo(404);
    }

    private int put(Server server, String key, byte[] value) throws Exception {
        HttpRequest request = request(server, key).PUT(BodyPublishers.ofByteArray(value)).build();
        return client.send(request, BodyHandlers.discarding()).statusCode();
    }

    private int get(Server server, String key) throws Exception {
        return client.send(request(server, key).build(), BodyHandlers.discarding()).statusCode();
    }

    private static HttpRequest.Builder request(Server server, String key) {
        return HttpRequest.newBuilder(URI.create(server.url + "/v0/entity?id=" + key));
    }
}
