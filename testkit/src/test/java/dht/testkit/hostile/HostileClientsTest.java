package dht.testkit.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.concurrent.Deadline;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.HashSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Timeout(60)
class HostileClientsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int COUNT = 20;

    private ServerSocket listener;
    private URI url;

    @BeforeEach
    void listen() throws IOException {
        listener = new ServerSocket(0, COUNT, InetAddress.ofLiteral("127.0.0.1"));
        url = URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    @AfterEach
    void close() throws IOException {
        listener.close();
    }

    @Test
    void clients_thatDoNotRead_askManyTimes() throws IOException {
        try (var _ = start(HostileKind.UNREAD_ANSWERS, 1);
                var accepted = listener.accept()) {
            var one = "GET /v0/entity?id=k HTTP/1.1\r\nHost: h\r\n\r\n";
            assertThat(received(accepted, 4 * one.length())).isEqualTo(one.repeat(4));
        }
    }

    @Test
    void clients_withEndlessHeads_sendNoEmptyLine() throws IOException {
        try (var _ = start(HostileKind.UNENDED_HEADS, 1);
                var accepted = listener.accept()) {
            assertThat(received(accepted, HostileKind.HEAD_BYTES))
                    .startsWith("GET /v0/status HTTP/1.1\r\nHost: h\r\nA: aaa")
                    .endsWith("aaa")
                    .doesNotContain("\r\n\r\n");
        }
    }

    @Test
    void clients_withBodies_sendBytesOfThemNowAndThen() throws IOException {
        try (var _ = start(HostileKind.TRICKLED_BODIES, 1);
                var accepted = listener.accept()) {
            var head = "PUT /v0/entity?id=k HTTP/1.1\r\nHost: h\r\nContent-Length: 1048576\r\n\r\n";
            assertThat(received(accepted, head.length() + 2)).isEqualTo(head + "aa");
        }
    }

    @Test
    void connections_thatTheServerEnds_areOpenedAgain() throws IOException {
        try (var clients = start(HostileKind.UNENDED_HEADS, COUNT)) {
            for (var i = 0; i < 3 * COUNT; i++) {
                listener.accept().close();
            }
            Deadline.in(PATIENCE)
                    .await("all are known to have ended", () -> clients.endedCount() == 3 * COUNT);
        }
    }

    @Test
    void connection_thatIsNotRead_isKnownToHaveEnded() throws IOException {
        try (var clients = start(HostileKind.UNREAD_ANSWERS, 1)) {
            listener.accept().close();
            Deadline.in(PATIENCE).await("it has ended", () -> clients.endedCount() == 1);
        }
    }

    @Test
    void clients_thatDoNotRead_comeAsTheOthersAreAnswered() throws IOException {
        try (var clients = start(HostileKind.UNREAD_ANSWERS, COUNT)) {
            for (var i = 0; i < COUNT; i++) {
                listener.accept().getOutputStream().write('H');
                assertThat(clients.openCount()).isLessThanOrEqualTo(i + 1 + 8);
            }
            Deadline.in(PATIENCE).await("all are open", () -> clients.openCount() == COUNT);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void connections_comeFromSeveralAddresses() throws IOException {
        var sources = new HashSet<InetAddress>();
        try (var clients = start(HostileKind.UNENDED_HEADS, COUNT)) {
            for (var i = 0; i < COUNT; i++) {
                sources.add(listener.accept().getInetAddress());
            }
            Deadline.in(PATIENCE).await("all are open", () -> clients.openCount() == COUNT);
        }
        assertThat(sources).hasSize(8);
    }

    @Test
    void clients_thatAreClosed_leaveNoConnection() throws IOException {
        Socket accepted;
        try (var _ = start(HostileKind.TRICKLED_BODIES, 1)) {
            accepted = listener.accept();
        }
        try (accepted) {
            assertThat(accepted.getInputStream().readAllBytes()).startsWith('P', 'U', 'T');
        }
    }

    private HostileClients start(HostileKind kind, int count) {
        return HostileClients.start(kind, url, "k", count, Duration.ofMillis(100));
    }

    private static String received(Socket from, int bytes) throws IOException {
        return new String(from.getInputStream().readNBytes(bytes), ISO_8859_1);
    }
}
