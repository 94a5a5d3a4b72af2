package dht.stage2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.execution.CountedExecutor;
import dht.execution.ExecutionOptions;
import dht.execution.ExecutorKind;
import dht.http.EntityRequest;
import dht.http.EntityService;
import dht.http.HttpOptions;
import dht.http.HttpServer;
import dht.http.ListenAddress;
import dht.http.LocalEntityService;
import dht.http.Responder;
import dht.http.Router;
import dht.metrics.ServerMetrics;
import dht.storage.StorageOptions;
import dht.storage.TimestampClock;
import dht.storage.file.LocalDirectory;
import dht.storage.lsm.LsmDao;
import dht.testkit.concurrent.Deadline;
import io.prometheus.metrics.model.registry.Collector;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what happens to a request that fails on a worker, and to the requests after it. */
@Timeout(60)
class FailingRequestTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String NOT_FOUND = "HTTP/1.1 404 Not Found";

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    @TempDir private Path directory;
    private final ServerMetrics metrics = new ServerMetrics(System::nanoTime);
    private LsmDao dao;
    private CountedExecutor executor;
    private ListenAddress address;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        dao =
                LsmDao.open(
                        LocalDirectory.open(directory),
                        StorageOptions.builder().memTableBytes(1 << 20).build());
        executor =
                ExecutorKind.FIFO.open(
                        "worker",
                        new ExecutionOptions(
                                ExecutorKind.FIFO, 1, 16, Duration.ofSeconds(30), PATIENCE),
                        System::nanoTime);
        EntityService local =
                new LocalEntityService(dao, new TimestampClock(InstantSource.system(), 0));
        EntityService service = (request, responder) -> serve(local, request, responder);
        address = ListenAddress.free("127.0.0.1", 0);
        HttpOptions options = DefaultOptions.http();
        Router router = Router.forNode(dao, service.on(executor), executor, options);
        metrics.serveOn(router);
        server = new HttpServer(address, options, router);
        server.start();
    }

    private void serve(EntityService local, EntityRequest request, Responder responder) {
        switch (new String(request.key(), UTF_8)) {
            case "throws" -> throw new IllegalStateException("made to fail");
            case "dies" -> throw new AssertionError("made to fail");
            case "waits" -> {
                begun.countDown();
                awaitRelease();
                local.serve(request, responder);
            }
            default -> local.serve(request, responder);
        }
    }

    private void awaitRelease() {
        Deadline.in(PATIENCE).await("the release", released);
    }

    @AfterEach
    void stop() {
        released.countDown();
        server.stop();
        executor.close();
        dao.close();
    }

    @Test
    void handler_thatThrows_is500AndTheConnectionIsKept() throws IOException {
        try (Socket socket = connect()) {
            for (String key : new String[] {"throws", "dies", "throws"}) {
                send(socket, key);
                assertThat(statusLine(socket)).isEqualTo("HTTP/1.1 500 Internal Server Error");
            }
            send(socket, "absent"); // There is one worker: it has outlived them.
            assertThat(statusLine(socket)).isEqualTo(NOT_FOUND);
        }
    }

    @Test
    void metrics_thatFailWithoutMemoryForTheLog_are500() throws IOException {
        metrics.registry()
                .register(
                        (Collector)
                                () -> {
                                    throw new UnloggableException();
                                });
        try (Socket socket = connect()) {
            sendGet(socket, "/metrics");
            assertThat(statusLine(socket)).isEqualTo("HTTP/1.1 500 Internal Server Error");
        }
    }

    /** As if there were no memory for the log. */
    private static final class UnloggableException extends RuntimeException {
        @Override
        public void printStackTrace(PrintStream out) {
            throw new OutOfMemoryError("on purpose");
        }
    }

    @Test
    void client_goneBeforeItsAnswer_takesNothingWithIt() throws IOException {
        Socket gone = connect();
        send(gone, "waits");
        Deadline.in(PATIENCE).await("the worker has the request", begun);
        gone.setSoLinger(true, 0); // So that closing resets the connection.
        gone.close();
        released.countDown();

        Deadline.in(PATIENCE).await("its session is closed", () -> server.getConnections() == 0);
        try (Socket other = connect()) {
            send(other, "absent");
            assertThat(statusLine(other)).isEqualTo(NOT_FOUND);
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(address.host(), address.port());
        socket.setSoTimeout((int) PATIENCE.toMillis());
        return socket;
    }

    private static void send(Socket socket, String key) throws IOException {
        sendGet(socket, "/v0/entity?id=" + key);
    }

    private static void sendGet(Socket socket, String target) throws IOException {
        String request = "GET " + target + " HTTP/1.1\r\nHost: test\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(ISO_8859_1));
    }

    /** Reads a whole answer. */
    private static String statusLine(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int read = in.read();
            assertThat(read).as("an answer, after: " + head).isNotNegative();
            head.append((char) read);
        }
        String length = head.toString().replaceFirst("(?s).*Content-Length: (\\d+).*", "$1");
        assertThat(in.readNBytes(Integer.parseInt(length))).hasSize(Integer.parseInt(length));
        return head.substring(0, head.indexOf("\r\n"));
    }
}
