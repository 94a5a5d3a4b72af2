package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.peer.Credentials;
import dht.peer.PeerOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what a client of healing makes of the answers of slow and of other servers. */
@Timeout(20)
class NodeClientTest {
    private static final String PATH = "/internal/test";
    private static final Duration TIMEOUT = Duration.ofSeconds(15);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;
    private NodeAddress node;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.start();
        node = NodeAddress.parse("http://127.0.0.1:" + server.getAddress().getPort());
    }

    @AfterEach
    void stop() {
        server.stop(0);
        threads.shutdownNow();
    }

    private static NodeClient client() {
        return client(TIMEOUT);
    }

    private static NodeClient client(Duration timeout) {
        var options = new PeerOptions(1, 1, timeout, timeout, 1, timeout, timeout);
        var self = new NodeAddress("self", 1);
        return new NodeClient(
                new Credentials(self, new Fingerprint("topology"), Optional.empty()), options);
    }

    private void answer(int status, String body) {
        server.createContext(
                PATH,
                exchange -> {
                    byte[] bytes = body.getBytes(UTF_8);
                    exchange.sendResponseHeaders(status, bytes.length);
                    exchange.getResponseBody().write(bytes);
                    exchange.close();
                });
    }

    @Test
    void get_wholeAnswer_isReturned() throws IOException {
        answer(200, "x".repeat(100_000));

        assertThat(client().get(node, PATH).body()).hasSize(100_000).containsOnly('x');
    }

    /** Each byte comes in time, but all of them would take a minute. */
    @Test
    void get_answerComesByteByByte_isGivenUp() {
        server.createContext(
                PATH,
                exchange -> {
                    exchange.sendResponseHeaders(200, 1200);
                    try (OutputStream body = exchange.getResponseBody()) {
                        for (int i = 0; i < 1200; i++) {
                            body.write('x');
                            body.flush();
                            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                        }
                    }
                });

        assertThatThrownBy(() -> client(Duration.ofSeconds(3)).get(node, PATH))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("node %s sends its answer too slowly: bytes=", node);
    }

    /** Any server may answer at a node's address: its answer must not fill the heap. */
    @ParameterizedTest
    @CsvSource({
        "Content-Length: 16777217, 16777217 bytes",
        "Transfer-Encoding: chunked, an unknown number of bytes"
    })
    void get_answerWithTooManyBytes_isNotRead(String header, String words) throws IOException {
        assertThatThrownBy(() -> getFromServerThatSays(header + "\r\n\r\n"))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("answers with %s, which no node does", words);
    }

    @Test
    void get_answerCutOff_isAFailure() {
        assertThatThrownBy(() -> getFromServerThatSays("Content-Length: 10\r\n\r\nhalf"))
                .isInstanceOf(IOException.class)
                .hasMessageMatching("node http://127.* has not sent its whole answer: .*");
    }

    /** The server sends this after the first lines of its answer, and no more. */
    private void getFromServerThatSays(String rest) throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            threads.execute(() -> answerOnce(other, rest));
            client().get(NodeAddress.parse("http://127.0.0.1:" + other.getLocalPort()), PATH);
        }
    }

    private static void answerOnce(ServerSocket server, String rest) {
        try (Socket socket = server.accept()) {
            socket.getInputStream().read();
            String head = "HTTP/1.1 200 OK\r\nConnection: close\r\n";
            socket.getOutputStream().write((head + rest).getBytes(UTF_8));
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "400, unknown path, true",
        "400, not a greeting, false",
        "404, unknown path, false",
        "404, Not Found, false",
        "503, unknown path, false"
    })
    void refusal_isOfAnEarlierReleaseOnlyIfThePathIsUnknown(
            int status, String line, boolean isUnknownPath) {
        answer(status, line + "\n");

        NodeClient.Refused refused =
                catchThrowableOfType(
                        NodeClient.Refused.class, () -> client().put(node, PATH, new byte[1]));
        assertThat(refused.isUnknownPath()).isEqualTo(isUnknownPath);
    }
}
