package dht.replication.batch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.http.HttpOptions;
import dht.http.HttpServer;
import dht.http.ListenAddress;
import dht.http.RequestExecutor;
import dht.http.Response;
import dht.http.Router;
import dht.peer.async.TestPeers;
import dht.peer.batch.Batch;
import dht.replication.HybridLogicalClock;
import dht.replication.LocalReplica;
import dht.storage.Dao;
import dht.storage.StorageException;
import dht.storage.WriteListener;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A message with several writes that wait for a sync. The test decides how the sync ends. */
class BatchSyncTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final HttpOptions OPTIONS =
            TestPeers.serverOptions(PATIENCE, Duration.ofMillis(100));

    private final BlockingQueue<WriteListener> waiting = new LinkedBlockingQueue<>();
    private final HttpClient client = HttpClient.newHttpClient();
    private volatile RuntimeException failure; // Of each write.
    private volatile Response refusal; // Of each message.
    private ListenAddress address;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        var clock = new HybridLogicalClock(InstantSource.system(), Duration.ofDays(1), 0);
        LocalReplica replica = new LocalReplica(storage(), clock, "http://self:1", () -> {});
        Router router =
                Router.forNode(
                        null, // Nobody asks for ranges.
                        (_, _) -> {},
                        RequestExecutor.inline(),
                        OPTIONS);
        BatchService.route(replica, this::execute, router);
        address = ListenAddress.free("127.0.0.1", 0);
        server = new HttpServer(address, OPTIONS, router);
        server.start();
    }

    private void execute(RequestExecutor.Task task) {
        Response answer = refusal;
        if (answer == null) {
            task.run();
        } else {
            task.refuse(answer);
        }
    }

    /** Has no keys; its writes wait. */
    private Dao storage() {
        return (Dao)
                Proxy.newProxyInstance(
                        Dao.class.getClassLoader(),
                        new Class<?>[] {Dao.class},
                        (_, method, arguments) -> {
                            switch (method.getName()) {
                                case "upsert", "delete" -> {
                                    if (failure != null) {
                                        throw failure;
                                    }
                                    waiting.add((WriteListener) arguments[arguments.length - 1]);
                                }
                                case "newestTimestampMicros" -> {
                                    return 0L;
                                }
                                default -> throw new UnsupportedOperationException("" + method);
                            }
                            return null;
                        });
    }

    @AfterEach
    void end() {
        client.close();
        server.close();
    }

    /** Two puts and a delete. */
    private CompletableFuture<HttpResponse<byte[]>> sendThreeWrites() throws IOException {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(message);
        for (char kind : List.of('P', 'P', 'D')) {
            out.writeByte(kind);
            out.writeLong(10);
            out.writeShort(1);
            out.writeInt(0);
            out.write('k');
        }
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(address.url() + Batch.PATH))
                        .timeout(PATIENCE)
                        .PUT(BodyPublishers.ofByteArray(message.toByteArray()))
                        .build();
        return client.sendAsync(request, BodyHandlers.ofByteArray());
    }

    private WriteListener next() throws InterruptedException {
        WriteListener listener = waiting.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(listener).as("a write that waits").isNotNull();
        return listener;
    }

    @Test
    void writes_thatAreDurable_areAnsweredTogether() throws Exception {
        var response = sendThreeWrites();
        for (WriteListener each : List.of(next(), next(), next())) {
            assertThat(response).isNotDone();
            each.durable();
        }
        assertThat(response.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).statusCode())
                .isEqualTo(200);
    }

    /** If a message is refused, its answer counts as the answer to each write in it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void write_whoseSyncFails_leavesNoneAcknowledged(int failing) throws Exception {
        var response = sendThreeWrites();
        List<WriteListener> writes = List.of(next(), next(), next());
        for (int i = 0; i < writes.size(); i++) {
            assertThat(response).isNotDone();
            if (i == failing) {
                writes.get(i).failed(new StorageException("cannot sync: the disk is gone"));
            } else {
                writes.get(i).durable();
            }
        }
        HttpResponse<byte[]> refused = response.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(refused.statusCode()).isEqualTo(500);
        assertThat(new String(refused.body(), UTF_8)).isNotEmpty();
    }

    /** A write whose storage throws waits for no sync: nobody would tell of it. */
    @Test
    void writes_thatStorageRefuses_failEachForItself() throws Exception {
        failure = new StorageException("the disk is full");
        HttpResponse<byte[]> response =
                sendThreeWrites().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(response.statusCode()).isEqualTo(200);
        ByteBuffer answers = ByteBuffer.wrap(response.body());
        for (int i = 0; i < 3; i++) {
            assertThat(answers.getShort()).isEqualTo((short) 500);
            assertThat(answers.getLong()).isZero();
            byte[] reason = new byte[answers.getInt()];
            answers.get(reason);
            assertThat(new String(reason, UTF_8)).isEqualTo("the disk is full");
        }
        assertThat(answers.hasRemaining()).isFalse();
    }

    @Test
    void message_thatMeetsABug_isAnswered() throws Exception {
        failure = new IllegalStateException("a bug");
        assertThat(sendThreeWrites().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).statusCode())
                .isEqualTo(500);
    }

    @Test
    void message_forWhichThereIsNoPlace_isRefused() throws Exception {
        refusal = Response.unavailable("too many requests");
        assertThat(sendThreeWrites().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).statusCode())
                .isEqualTo(503);
        assertThat(waiting).isEmpty();
    }
}
