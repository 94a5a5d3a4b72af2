package dht.testkit.node;

import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.concurrent.Deadline;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class OpenSocketsTest {
    @Test
    void connection_whileOpen_isToldOnceFromEachEnd() throws IOException {
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var port = listener.getLocalPort();
            assertThat(OpenSockets.establishedAt(List.of(port))).isEmpty();
            try (var client = new Socket(listener.getInetAddress(), port);
                    var _ = listener.accept()) {
                assertThat(OpenSockets.establishedAt(List.of(port)))
                        .containsExactlyInAnyOrder(
                                port + "->" + client.getLocalPort(),
                                client.getLocalPort() + "->" + port);
            }
            Deadline.in(Duration.ofSeconds(10))
                    .await("it is gone", () -> OpenSockets.establishedAt(List.of(port)).isEmpty());
        }
    }
}
