package dht.stage1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dht.command.RunningServer;
import dht.command.StageCommand;
import dht.storage.Eventually;
import dht.storage.FastTempDir;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients don't read their answers, while the values in these answers are overwritten again and
 * again.
 */
@Timeout(120)
class SlowReadersTest {
    private static final int VALUE_BYTES = 6 << 20; // More than sockets take.
    private static final int READERS = 12; // Of each kind.

    /** In use, spare, kept for later and being freed; and those that may be kept for ranges. */
    private static final int LOGS_MAX = 6 + 4;

    @TempDir(factory = FastTempDir.class)
    Path data;

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void readersThatDoNotRead_keepLittle() throws Exception {
        List<Socket> values = new ArrayList<>();
        List<Socket> ranges = new ArrayList<>();
        try (RunningServer server = start()) {
            for (int i = 0; i < READERS; i++) {
                put(server, i);
                values.add(ask(server, "/v0/entity?id=key"));
                ranges.add(ask(server, "/v0/entities?start=key"));
            }
            for (int i = 0; i < 4; i++) {
                put(server, READERS + i);
            }

            Eventually.holds(() -> logs() <= LOGS_MAX, () -> logs() + " logs are kept");
            Eventually.holds(() -> tableBytes() <= 8L * VALUE_BYTES, this::tableBytes);
            assertThat(whole(values)).hasSizeGreaterThanOrEqualTo(2); // Copies, as many as may be.
            assertThat(whole(ranges)).hasSizeLessThan(READERS);
        } finally {
            for (Socket socket : values) {
                socket.close();
            }
            for (Socket socket : ranges) {
                socket.close();
            }
        }
    }

    private RunningServer start() throws Exception {
        Main main = new Main();
        StageCommand.lineOf(main)
                .parseArgs(
                        "--port=" + Ports.lease().port(),
                        "--data=" + data,
                        "--memtable-size=1m",
                        "--write-stall-max=60s",
                        "--compaction-fan-in=2",
                        "--tables-max=2",
                        "--pinned-size-max=30m",
                        "--data-rate-min=0",
                        "--data-rate-window=1h");
        return RunningServer.start(main::start);
    }

    private void put(RunningServer server, int number) throws Exception {
        byte[] value = new byte[VALUE_BYTES];
        Arrays.fill(value, (byte) ('A' + number));
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(server.url() + "/v0/entity?id=key"))
                        .PUT(BodyPublishers.ofByteArray(value))
                        .build();
        assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(201);
    }

    /** Reads the head of the answer, and then no more. */
    private static Socket ask(RunningServer server, String target) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(
                new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), URI.create(server.url()).getPort()));
        socket.getOutputStream()
                .write(
                        ("GET " + target + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
                                .getBytes(ISO_8859_1));
        assertThat(new String(socket.getInputStream().readNBytes(15), ISO_8859_1))
                .isEqualTo("HTTP/1.1 200 OK");
        return socket;
    }

    /** Numbers of the answers that come to their end, each with one value throughout. */
    private static List<Integer> whole(List<Socket> sockets) {
        List<Integer> whole = new ArrayList<>();
        for (int i = 0; i < sockets.size(); i++) {
            int[] seen = new int[256];
            try (InputStream input = sockets.get(i).getInputStream()) {
                for (byte each : input.readAllBytes()) {
                    seen[each & 0xff]++;
                }
            } catch (IOException cutOff) {
                continue;
            }
            if (seen['A' + i] >= VALUE_BYTES) {
                whole.add(i);
            }
        }
        return whole;
    }

    private long logs() {
        return files(".log").size();
    }

    private long tableBytes() {
        return files(".sst").stream().mapToLong(file -> file.toFile().length()).sum();
    }

    private List<Path> files(String suffix) {
        try (var files = Files.list(data)) {
            return files.filter(file -> file.toString().endsWith(suffix)).toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
