package dht.stage2;

import static org.assertj.core.api.Assertions.assertThat;

import dht.command.RunningServer;
import dht.execution.CountedExecutor;
import dht.execution.ExecutionOptions;
import dht.execution.ExecutorKind;
import dht.http.ListenAddress;
import dht.storage.Durability;
import dht.storage.StorageOptions;
import dht.storage.file.LocalDirectory;
import dht.storage.file.StorageDirectory;
import dht.storage.file.WritableMapping;
import dht.storage.lsm.LsmDao;
import dht.testkit.concurrent.Deadline;
import dht.testkit.concurrent.HeldCalls;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with one worker, whose clients wait for a sync that the test holds back. */
@Timeout(60)
class UnsyncedWorkerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int WRITES = 8;
    private static final String DURABLE = "durable";

    private final HttpClient client = HttpClient.newHttpClient();
    private final HeldCalls syncs = new HeldCalls("force");

    @TempDir private Path directory;
    private LsmDao dao;
    private RunningServer server;

    @BeforeEach
    void start() throws IOException {
        ExecutionOptions options =
                new ExecutionOptions(ExecutorKind.FIFO, 1, 2 * WRITES, PATIENCE, PATIENCE);
        StorageOptions storage =
                StorageOptions.builder()
                        .durability(Durability.FSYNC)
                        .memTableBytes(1 << 20)
                        .build();
        ListenAddress address = ListenAddress.free("127.0.0.1", 0);
        server =
                RunningServer.start(
                        resources -> {
                            StorageDirectory held =
                                    syncs.of(
                                            StorageDirectory.class,
                                            LocalDirectory.open(directory),
                                            WritableMapping.class);
                            dao = resources.open(() -> LsmDao.open(held, storage));
                            CountedExecutor pool = resources.open(() -> pool(options));
                            return Stage2Server.start(
                                    resources, address, DefaultOptions.http(), pool, dao);
                        });
    }

    private static CountedExecutor pool(ExecutionOptions options) {
        return options.kind().open("worker", options, System::nanoTime);
    }

    @AfterEach
    void stop() {
        syncs.release();
        server.close();
        client.close();
    }

    @Test
    void writes_thatWait_holdNoWorker() throws Exception {
        assertThat(status(put(DURABLE))).isEqualTo(201);
        syncs.hold();
        var writes = IntStream.range(0, WRITES).mapToObj(i -> put("key" + i)).toList();
        var deletion = send(to(DURABLE).DELETE());
        Deadline.in(PATIENCE)
                .await(
                        "the one worker has begun all writes",
                        () -> dao.stats().unsyncedCount() == WRITES + 1);

        assertThat(answer(send(to(DURABLE).GET())).body()).isEqualTo("value of " + DURABLE);
        assertThat(status(send(to("key0").GET()))).isEqualTo(404);
        assertThat(writes).noneMatch(CompletableFuture::isDone);

        syncs.release();
        for (var write : writes) {
            assertThat(status(write)).isEqualTo(201);
        }
        assertThat(status(deletion)).isEqualTo(202);
        assertThat(status(send(to(DURABLE).GET()))).isEqualTo(404);
        assertThat(status(send(to("key0").GET()))).isEqualTo(200);
    }

    private CompletableFuture<HttpResponse<String>> put(String key) {
        return send(to(key).PUT(BodyPublishers.ofString("value of " + key)));
    }

    private HttpRequest.Builder to(String key) {
        return HttpRequest.newBuilder(URI.create(server.url() + "/v0/entity?id=" + key));
    }

    private CompletableFuture<HttpResponse<String>> send(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), BodyHandlers.ofString());
    }

    private static int status(CompletableFuture<HttpResponse<String>> sent) throws Exception {
        return answer(sent).statusCode();
    }

    private static HttpResponse<String> answer(CompletableFuture<HttpResponse<String>> sent)
            throws Exception {
        return sent.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
}
