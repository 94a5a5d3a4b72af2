package dht.stage1;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.command.StageCommand;
import dht.storage.FastTempDir;
import dht.storage.OtherProcess;
import dht.storage.SmallDisk;
import dht.storage.StorageOptions;
import dht.storage.TextDao;
import dht.storage.file.LocalDirectory;
import dht.storage.lsm.LsmDao;
import dht.testkit.node.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what clients and operators are told when the disk cannot read back what was written to it.
 */
@Timeout(60)
class UnreadableDiskTest {
    private static final int DISK_BYTES = 16 << 20;
    private static final int PAGE_BYTES = 4096;

    @TempDir(factory = FastTempDir.class)
    Path directory;

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void start_manifestUnreadable_exits1() throws Exception {
        assertRefused("MANIFEST", 0);
    }

    @Test
    void start_footerOfTableUnreadable_exits1() throws Exception {
        assertRefused(".sst", PAGE_BYTES);
    }

    /** A hole of a file cannot be read on this kind of disk while it is full. */
    private void assertRefused(String suffix, long holeFrom) throws Exception {
        try (SmallDisk disk = SmallDisk.mount(directory.resolve("disk"), DISK_BYTES)) {
            Path data = disk.path().resolve("data");
            store(data);
            Path file = files(data, suffix).getFirst();
            makeHole(file, holeFrom);
            disk.fill();

            StringWriter errors = new StringWriter();
            int exitCode =
                    StageCommand.lineOf(new Main())
                            .setErr(new PrintWriter(errors, true))
                            .execute("--port=" + Ports.lease().port(), "--data=" + data);

            assertThat(errors.toString().lines()).hasSize(1);
            assertThat(errors.toString())
                    .startsWith("stage1-storage: ")
                    .contains("file=" + file.getFileName() + " offset=", "cannot be read");
            assertThat(exitCode).isEqualTo(1);
        }
    }

    private static void store(Path data) throws IOException {
        StorageOptions options = StorageOptions.builder().memTableBytes(1 << 20).build();
        try (LsmDao engine = LsmDao.open(LocalDirectory.open(data), options)) {
            TextDao dao = new TextDao(engine);
            dao.put("large", "v".repeat(100_000), 1);
            dao.put("small", "v", 1);
            dao.flush();
        }
    }

    private static void makeHole(Path path, long from) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            long length = file.length();
            assertThat(length).isGreaterThan(from);
            file.setLength(from);
            file.setLength(length);
        }
    }

    private static List<Path> files(Path data, String suffix) throws IOException {
        try (var files = Files.list(data)) {
            return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
        }
    }

    /** In a process of its own, which a page that cannot be read might end. */
    @Test
    void get_blockUnreadable_is500AndOthersAreServed() throws Exception {
        store(directory);
        Process process =
                OtherProcess.start(
                        Main.class,
                        "--port=" + Ports.lease().port(),
                        "--data=" + directory,
                        "--memtable-size=1m");
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            String url = output.readLine().replace("ready ", "");
            Path table = files(directory, ".sst").getFirst();
            try (RandomAccessFile file = new RandomAccessFile(table.toFile(), "rw")) {
                file.setLength(0);
            }

            assertThat(put(url, "other")).isEqualTo(201);
            for (int round = 0; round < 100; round++) {
                HttpResponse<String> answer = get(url, "small");
                assertThat(answer.statusCode()).isEqualTo(500);
                assertThat(answer.body())
                        .contains("file=" + table.getFileName() + " offset=", "cannot be read");
                assertThat(get(url, "large").statusCode()).isEqualTo(500);
                assertThat(get(url, "other").statusCode()).isEqualTo(200);
            }
            assertThat(process.isAlive()).isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private int put(String url, String key) throws Exception {
        HttpRequest request = request(url, key).PUT(BodyPublishers.ofString("v")).build();
        return client.send(request, BodyHandlers.discarding()).statusCode();
    }

    private HttpResponse<String> get(String url, String key) throws Exception {
        return client.send(request(url, key).build(), BodyHandlers.ofString());
    }

    private static HttpRequest.Builder request(String url, String key) {
        return HttpRequest.newBuilder(URI.create(url + "/v0/entity?id=" + key));
    }
}
