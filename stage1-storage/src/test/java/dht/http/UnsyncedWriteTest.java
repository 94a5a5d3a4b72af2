package dht.http;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.Durability;
import dht.storage.StorageOptions;
import dht.storage.TimestampClock;
import dht.storage.file.LocalDirectory;
import dht.storage.lsm.LsmDao;
import dht.storage.simulation.Faults;
import dht.storage.simulation.HookedDirectory;
import dht.storage.simulation.Operation;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.transcript.Promise;
import dht.testkit.transcript.Transcript;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with one selector, whose clients wait for a sync that does not end. */
@Timeout(60)
class UnsyncedWriteTest {
    private static final int WRITES_MAX = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final HttpOptions OPTIONS =
            new HttpOptions(
                    1,
                    16,
                    8192,
                    100,
                    1 << 20,
                    1 << 20,
                    4,
                    PATIENCE,
                    PATIENCE,
                    1,
                    PATIENCE,
                    Duration.ofSeconds(20));

    private final Faults faults = new Faults();
    private final List<Connection> connections = new ArrayList<>();

    @TempDir private Path directory;
    private LsmDao dao;
    private ListenAddress address;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        dao =
                LsmDao.open(
                        new HookedDirectory(LocalDirectory.open(directory), faults),
                        StorageOptions.builder()
                                .durability(Durability.FSYNC)
                                .memTableBytes(1 << 20)
                                .unsyncedWritesMax(WRITES_MAX)
                                .build());
        address = ListenAddress.free("127.0.0.1", 0);
        RequestExecutor executor = RequestExecutor.inline();
        EntityService service =
                new LocalEntityService(dao, new TimestampClock(InstantSource.system(), 0))
                        .on(executor);
        server = new HttpServer(address, OPTIONS, Router.forNode(dao, service, executor, OPTIONS));
        server.start();
        faults.block(UnsyncedWriteTest::isGroupSync);
        for (int i = 0; i < WRITES_MAX; i++) {
            connect().send(put("key" + i));
        }
        Deadline.in(PATIENCE).await("all wait", () -> dao.stats().unsyncedCount() == WRITES_MAX);
    }

    private static boolean isGroupSync(Operation operation) {
        return operation.kind() == Operation.Kind.FORCE
                && Thread.currentThread().getName().equals("storage-sync");
    }

    @AfterEach
    void stop() {
        faults.heal();
        faults.release();
        connections.forEach(Connection::close);
        server.stop();
        dao.close();
    }

    @Test
    void writes_thatWait_holdNoSelector() {
        connect().send(Request.get(Target.STATUS)).receive().expectStatus(200);
        connect().send(Request.get(Target.entity("key0"))).receive().expectStatus(404);

        faults.release();
        expectAll(201);
        connect().send(Request.get(Target.entity("key0"))).receive().expectStatus(200);
    }

    @Test
    void write_beyondTheLimit_is503() {
        connect().send(put("more")).receive().expectError(503);
        faults.release();
        expectAll(201);
        connect().send(put("more")).receive().expectStatus(201);
    }

    @Test
    void sync_fails_allThatWaitGet500AndLaterWrites503() {
        faults.fail(UnsyncedWriteTest::isGroupSync);
        faults.release();
        expectAll(500);
        connect().send(put("more")).receive().expectError(503);
    }

    @Test
    void server_stopsWhileWritesWait_answersThemFirst() throws InterruptedException {
        Thread stopper = Thread.ofPlatform().start(server::stop);
        Deadline.in(PATIENCE).await("it stops", server::isDraining);
        assertThat(dao.stats().unsyncedCount()).isEqualTo(WRITES_MAX);
        faults.release();
        expectAll(201);
        stopper.join();
    }

    private void expectAll(int status) {
        connections.subList(0, WRITES_MAX).forEach(each -> each.receive().expectStatus(status));
    }

    private Connection connect() {
        Transcript transcript = new Transcript("waits", Promise.ONE_RESPONSE_EACH);
        URI url = URI.create(address.url());
        Connection connection =
                Connection.open(url, "node", Connection.DEFAULT_BUFFER, PATIENCE, transcript);
        connections.add(connection);
        return connection;
    }

    private static Request put(String key) {
        return Request.put(Target.entity(key), new byte[100]);
    }
}
