package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.ReadOutcome.Found;
import dht.storage.StorageOptions;
import dht.storage.file.LocalDirectory;
import dht.storage.lsm.LsmDao;
import dht.testkit.concurrent.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How requests are handed on, and what becomes of answers that cannot be made or sent. */
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
                    Duration.ofSeconds(5));

    private final AtomicInteger letGo = new AtomicInteger();

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
        if (!new String(request.key(), ISO_8859_1).equals("lock")) {
            responder.respond(unreadable(request));
        } else if (Thread.holdsLock(responder.session())) {
            responder.fail(new IllegalStateException("handed on under the lock"));
        } else {
            responder.respond(LocalEntityService.CREATED);
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
    void value_thatCannotBeEncoded_is500AndLetGoOnce() throws IOException {
        try (Socket socket = connect()) {
            for (int i = 1; i <= 2; i++) { // The connection is kept.
                send(socket, 100);
                assertThat(statusLine(socket)).isEqualTo("HTTP/1.1 500 Internal Server Error");
                assertThat(letGo).hasValue(i);
            }
        }
    }

    @Test
    void value_thatCannotBeSent_endsTheConnectionAndIsLetGoOnce() throws IOException {
        try (Socket socket = connect()) {
            send(socket, 1 << 20);
            socket.getInputStream().readAllBytes(); // Its end, or a reset.
            Deadline.in(PATIENCE).await("it is closed", () -> server.getConnections() == 0);
        } finally {
            assertThat(letGo).hasValue(1);
        }
    }

    @Test
    void requests_sentTogether_areHandedOnWithoutTheConnectionsLock() throws IOException {
        try (Socket socket = connect()) {
            String request = "GET /v0/entity?id=lock HTTP/1.1\r\nHost: test\r\n\r\n";
            socket.getOutputStream().write(request.repeat(3).getBytes(ISO_8859_1));
            for (int i = 0; i < 3; i++) {
                assertThat(statusLine(socket)).isEqualTo("HTTP/1.1 201 Created");
            }
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(address.host(), address.port());
        socket.setSoTimeout((int) PATIENCE.toMillis());
        return socket;
    }

    private static void send(Socket socket, int bytes) throws IOException {
        String request = "GET /v0/entity?id=" + bytes + " HTTP/1.1\r\nHost: test\r\n\r\n";
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
        in.skipNBytes(Integer.parseInt(length));
        return head.substring(0, head.indexOf("\r\n"));
    }
}
