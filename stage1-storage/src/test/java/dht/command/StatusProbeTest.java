package dht.command;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class StatusProbeTest {
    private static boolean isHealthy(String answer) throws IOException {
        try (var listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            threads.submit(
                    () -> {
                        try (var client = listening.accept()) {
                            client.getOutputStream().write(answer.getBytes(US_ASCII));
                            client.shutdownOutput();
                            return client.getInputStream().readAllBytes().length;
                        }
                    });
            return StatusProbe.isHealthy(listening.getLocalPort());
        }
    }

    @Test
    void probe_ofAServerThatAnswers200_isHealthy() throws IOException {
        assertThat(isHealthy("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")).isTrue();
    }

    @Test
    void probe_ofAServerThatAnswersSomethingElse_isNot() throws IOException {
        assertThat(isHealthy("HTTP/1.1 503 Service Unavailable\r\n\r\n")).isFalse();
        assertThat(isHealthy("HTTP/1.1 2")).isFalse();
        assertThat(isHealthy("")).isFalse();
    }

    @Test
    void probe_whereNobodyListens_isNot() throws IOException {
        // A port that is bound belongs to nobody else, and refuses connections.
        try (var bound = new Socket()) {
            bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            assertThat(StatusProbe.isHealthy(bound.getLocalPort())).isFalse();
        }
    }
}
