package dht.replication.batch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.http.HttpOptions;
import dht.http.HttpServer;
import dht.http.ListenAddress;
import dht.http.RequestExecutor;
import dht.http.Router;
import dht.metrics.ServerMetrics;
import dht.peer.async.TestPeers;
import dht.peer.batch.Batch;
import dht.replication.HybridLogicalClock;
import dht.replication.LocalReplica;
import dht.storage.Durability;
import dht.storage.StorageOptions;
import dht.storage.file.LocalDirectory;
import dht.storage.file.StorageDirectory;
import dht.storage.file.WritableMapping;
import dht.storage.lsm.LsmDao;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.concurrent.Deadline;
import dht.testkit.concurrent.HeldCalls;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Messages with several writes, and a real engine that syncs its log before it acknowledges them.
 * The test decides when a sync begins.
 */
@Timeout(120)
class BatchFsyncTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int WRITES = 100;
    private static final HttpOptions OPTIONS = TestPeers.serverOptions(PATIENCE, PATIENCE);

    @TempDir private Path data;
    private final HttpClient client = HttpClient.newHttpClient();
    private final HeldCalls syncs = new HeldCalls("force");
    private LsmDao dao;
    private ListenAddress address;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        StorageOptions options = StorageOptions.builder().durability(Durability.FSYNC).build();
        StorageDirectory directory = LocalDirectory.open(data);
        dao =
                LsmDao.open(
                        syncs.of(StorageDirectory.class, directory, WritableMapping.class),
                        options);
        var clock = new HybridLogicalClock(InstantSource.system(), Duration.ofDays(1), 0);
        LocalReplica replica = new LocalReplica(dao, clock, "http://self:1", () -> {});
        RequestExecutor executor = RequestExecutor.inline();
        Router router = Router.forNode(dao, (_, _) -> {}, executor, OPTIONS);
        BatchService.route(replica, executor, router);
        ServerMetrics metrics = new ServerMetrics(System::nanoTime);
        metrics.watch(dao::stats);
        metrics.serveOn(router);
        address = ListenAddress.free("127.0.0.1", 0);
        server = new HttpServer(address, OPTIONS, router);
        server.start();
    }

    @AfterEach
    void end() {
        syncs.release();
        client.close();
        server.close();
        dao.close();
    }

    private CompletableFuture<HttpResponse<byte[]>> sendWrites() throws IOException {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(message);
        for (int i = 0; i < WRITES; i++) {
            byte[] key = ("key" + i).getBytes(UTF_8);
            out.writeByte('P');
            out.writeLong(10 + i);
            out.writeShort(key.length);
            out.writeInt(key.length);
            out.write(key);
            out.write(key);
        }
        return client.sendAsync(
                request(Batch.PATH).PUT(BodyPublishers.ofByteArray(message.toByteArray())).build(),
                BodyHandlers.ofByteArray());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(address.url() + path)).timeout(PATIENCE);
    }

    private long metric(String name) {
        try {
            return client.send(request("/metrics").build(), BodyHandlers.ofLines())
                    .body()
                    .filter(line -> line.startsWith(name + " "))
                    .mapToLong(line -> (long) Double.parseDouble(line.split(" ")[1]))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no metric " + name));
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** All of them wait at the same time: none is stored only when the one before is durable. */
    private void awaitAllUnsynced() {
        Deadline.in(PATIENCE)
                .await(
                        "all writes of the message to wait for a sync",
                        () -> metric("storage_unsynced_writes") == WRITES);
    }

    @Test
    void writesOfAMessage_waitForASync_areSyncedAtOnce() throws Exception {
        syncs.hold();
        long before = metric("storage_syncs_total");
        var response = sendWrites();
        awaitAllUnsynced();
        assertThat(response).isNotDone();

        syncs.release();

        assertThat(response.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).statusCode())
                .isEqualTo(200);
        // One began when the first write had arrived, one more is for the others.
        assertThat(metric("storage_syncs_total") - before).isBetween(1L, 2L);
    }

    @Test
    void stop_whileAMessageWaitsForASync_answersItFirst() throws Exception {
        syncs.hold();
        var response = sendWrites();
        awaitAllUnsynced();
        try (var stop = ClientThreads.start(1, _ -> server.close())) {
            Deadline.in(PATIENCE).await("a server that stops", this::isRefusing);
            assertThat(response).isNotDone();

            syncs.release();

            assertThat(response.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).statusCode())
                    .isEqualTo(200);
            stop.join(PATIENCE);
        }
    }

    private boolean isRefusing() {
        try (Socket _ = new Socket(address.host(), address.port())) {
            return false;
        } catch (SocketException e) { // Refused, or reset while the port was being closed.
            return true;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
