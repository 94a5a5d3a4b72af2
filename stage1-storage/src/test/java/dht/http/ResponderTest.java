package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.ReadOutcome.Found;
import dht.storage.StorageOptions;
import dht.storage.file.LocalDirectory;
import dht.storage.lsm.LsmDao;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.transcript.Promise;
import dht.testkit.transcript.Transcript;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests how requests are passed to other threads, and what happens to answers that cannot be
 * created or sent.
 */
@Timeout(60)
class ResponderTest {
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
                    Duration.ofSeconds(5));

    private final AtomicInteger letGo = new AtomicInteger();
    private final BlockingQueue<String> outcomes = new LinkedBlockingQueue<>();

    @TempDir private Path directory;
    private LsmDao dao;
    private ListenAddress address;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        dao =
                LsmDao.open(
                        LocalDirectory.open(directory),
                        StorageOptions.builder().memTableBytes(1 << 20).build());
        address = ListenAddress.free("127.0.0.1", 0);
        Router router = Router.forNode(dao, this::serve, RequestExecutor.inline(), OPTIONS);
        server = new HttpServer(address, OPTIONS, router);
        server.start();
    }

    private void serve(EntityRequest request, Responder responder) {
        String key = new String(request.key(), ISO_8859_1);
        if (key.equals("listener")) {
            answerWithFailingListener(responder);
        } else if (!key.equals("lock")) {
            responder.respond(unreadable(request));
        } else if (Thread.holdsLock(responder.session())) {
            responder.fail(new IllegalStateException("handed on under the lock"));
        } else {
            responder.respond(LocalEntityService.CREATED);
        }
    }

    private void answerWithFailingListener(Responder responder) {
        responder.onAnswer(
                _ -> {
                    throw new OutOfMemoryError("made by the test");
                });
        try {
            responder.respond(LocalEntityService.CREATED);
            outcomes.add("answered");
        } catch (Throwable e) {
            outcomes.add(e.toString());
        }
    }

    /** A value of so many bytes as the key says, of memory that is not there any more. */
    private Found unreadable(EntityRequest request) {
        long bytes = Long.parseLong(new String(request.key(), ISO_8859_1));
        MemorySegment value;
        try (Arena arena = Arena.ofShared()) {
            value = arena.allocate(bytes);
        }
        return new Found(value, 1, letGo::incrementAndGet);
    }

    @AfterEach
    void stop() {
        server.stop();
        dao.close();
    }

    @Test
    void value_thatCannotBeEncoded_is500AndLetGoOnce() {
        try (Connection connection = connect()) {
            for (int i = 1; i <= 2; i++) { // The connection is kept.
                connection.send(request("100")).receive().expectError(500);
                assertThat(letGo).hasValue(i);
            }
        }
    }

    @Test
    void value_thatCannotBeSent_endsTheConnectionAndIsLetGoOnce() {
        try (Connection connection = connect()) {
            connection.send(request("1000000"));
            Deadline.in(PATIENCE).await("it is let go", () -> letGo.get() > 0);
            Deadline.in(PATIENCE).await("it is closed", () -> server.getConnections() == 0);
        }
        assertThat(letGo).hasValue(1);
    }

    /** Else the caller would not know that the request is answered, and would undo its work. */
    @Test
    void answer_whoseListenerHasNoMemory_isNoFailure() throws InterruptedException {
        try (Connection connection = connect()) {
            connection.send(request("listener")).receive().expectStatus(201);
            assertThat(outcomes.take()).isEqualTo("answered");
            connection.send(request("lock")).receive().expectStatus(201);
        }
    }

    @Test
    void requests_sentTogether_areHandedOnWithoutTheConnectionsLock() {
        try (Connection connection = connect()) {
            connection.sendPipelined(Collections.nCopies(3, request("lock")));
            for (int i = 0; i < 3; i++) {
                connection.receive().expectStatus(201);
            }
        }
    }

    private Connection connect() {
        Transcript transcript = new Transcript("answers", Promise.ONE_RESPONSE_EACH);
        URI url = URI.create(address.url());
        return Connection.open(url, "node", Connection.DEFAULT_BUFFER, PATIENCE, transcript);
    }

    private static Request request(String key) {
        return Request.get(Target.entity(key));
    }
}
