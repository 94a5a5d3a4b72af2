package dht.http;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.StorageOptions;
import dht.storage.TimestampClock;
import dht.storage.file.LocalDirectory;
import dht.storage.lsm.LsmDao;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A range that no thread could be given must not count as one that is being read. A range of
 * another scope is refused.
 */
@Timeout(60)
class RangeHandlerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int RANGES_MAX = 2;
    private static final HttpOptions OPTIONS =
            new HttpOptions(
                    1,
                    16,
                    8192,
                    100,
                    1 << 20,
                    1 << 20,
                    RANGES_MAX,
                    PATIENCE,
                    PATIENCE,
                    1,
                    PATIENCE,
                    PATIENCE);

    private volatile boolean failsToBegin;
    private volatile boolean failsToGoOn;

    @TempDir private Path directory;
    private LsmDao dao;
    private ListenAddress address;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        dao = LsmDao.open(LocalDirectory.open(directory), StorageOptions.defaults());
        address = ListenAddress.free("127.0.0.1", 0);
        EntityService service =
                new LocalEntityService(dao, new TimestampClock(InstantSource.system(), 0))
                        .on(RequestExecutor.inline());
        server =
                new HttpServer(
                        address,
                        OPTIONS,
                        Router.forNode(dao, service, new FailingExecutor(), OPTIONS));
        server.start();
    }

    private final class FailingExecutor implements RequestExecutor {
        @Override
        public void execute(Task task) {
            runUnless(failsToBegin, task);
        }

        @Override
        public void resume(Task task) {
            runUnless(failsToGoOn, task);
        }

        private static void runUnless(boolean isFailing, Task task) {
            if (isFailing) {
                throw new OutOfMemoryError("injected");
            }
            task.run();
        }
    }

    @AfterEach
    void stop() {
        server.stop();
        assertThat(server.connectionMemoryTakenBytes()).isZero();
        dao.close();
    }

    @Test
    void ranges_thatCannotBegin_leaveRoomForOthers() throws Exception {
        failsToBegin = true;
        readMoreThanAllowed();
        failsToBegin = false;
        assertThat(rangeStatus()).isEqualTo(200);
    }

    @Test
    void ranges_thatCannotGoOn_leaveRoomForOthers() throws Exception {
        failsToGoOn = true;
        readMoreThanAllowed();
        failsToGoOn = false;
        assertThat(rangeStatus()).isEqualTo(200);
    }

    /** Answering with the entries of this node alone would be silently short. */
    @Test
    void range_withAWiderScope_is400() throws Exception {
        assertThat(rangeStatus("&scope=cluster")).isEqualTo(400);
        assertThat(rangeStatus("&scope=")).isEqualTo(400);
        assertThat(rangeStatus("&scope=node")).isEqualTo(200);
    }

    private void readMoreThanAllowed() throws Exception {
        for (int i = 0; i < 2 * RANGES_MAX; i++) {
            try {
                assertThat(rangeStatus()).isNotEqualTo(200);
            } catch (IOException cutOff) {
                assertThat(failsToGoOn).as("only a range that has begun is cut off").isTrue();
            }
        }
    }

    private int rangeStatus() throws Exception {
        return rangeStatus("");
    }

    private int rangeStatus(String parameters) throws Exception {
        java.net.http.HttpRequest range =
                java.net.http.HttpRequest.newBuilder(
                                URI.create(address.url() + "/v0/entities?start=a" + parameters))
                        .timeout(PATIENCE)
                        .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(range, BodyHandlers.ofByteArray()).statusCode();
        }
    }
}
