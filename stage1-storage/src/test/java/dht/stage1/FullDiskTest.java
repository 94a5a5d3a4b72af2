package dht.stage1;

import static org.assertj.core.api.Assertions.assertThat;

import dht.command.RunningServer;
import dht.command.StageCommand;
import dht.storage.Eventually;
import dht.storage.SmallDisk;
import dht.testkit.node.Ports;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests which answers clients get when the server's disk is full. */
@Timeout(60)
class FullDiskTest {
    private static final int DISK_BYTES = 24 << 20;
    private static final int FILLER_BYTES = 16 << 20;
    private static final byte[] VALUE = new byte[10_000];

    @TempDir private Path directory;

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void put_diskFull_isRefusedWithTheReasonUntilThereIsRoom() throws Exception {
        try (SmallDisk disk = SmallDisk.mount(directory.resolve("disk"), DISK_BYTES)) {
            disk.fill(FILLER_BYTES);
            try (RunningServer server = start(disk.path().resolve("data"))) {
                int taken = 0;
                HttpResponse<byte[]> answer = put(server.url(), "key0");
                while (!isOfDisk(answer)) {
                    taken += answer.statusCode() == 201 ? 1 : 0; // Else it was only too fast.
                    answer = put(server.url(), "key" + taken);
                }

                assertThat(answer.statusCode()).isEqualTo(503);
                assertThat(answer.headers().firstValue("Retry-After")).isPresent();
                assertThat(text(answer)).contains("make room");
                for (int i = 0; i < taken; i++) {
                    assertThat(get(server.url(), "key" + i).body()).hasSize(VALUE.length);
                }

                disk.makeRoom();
                Eventually.holds(
                        () -> put(server.url(), "more").statusCode() == 201, () -> "refused");
            }
        }
    }

    private static RunningServer start(Path data) throws Exception {
        Main main = new Main();
        StageCommand.lineOf(main)
                .parseArgs(
                        "--port=" + Ports.lease().port(), "--data=" + data, "--memtable-size=512k");
        return RunningServer.start(main::start);
    }

    private static boolean isOfDisk(HttpResponse<byte[]> answer) {
        return text(answer).contains("No space left");
    }

    private static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private HttpResponse<byte[]> put(String url, String key) {
        return send(request(url, key).PUT(BodyPublishers.ofByteArray(VALUE)).build());
    }

    private HttpResponse<byte[]> get(String url, String key) {
        return send(request(url, key).build());
    }

    private static HttpRequest.Builder request(String url, String key) {
        return HttpRequest.newBuilder(URI.create(url + "/v0/entity?id=" + key));
    }

    private HttpResponse<byte[]> send(HttpRequest request) {
        try {
            return client.send(request, BodyHandlers.ofByteArray());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
