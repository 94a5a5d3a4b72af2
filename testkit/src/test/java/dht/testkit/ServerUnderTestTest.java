package dht.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeHome;
import dht.testkit.node.NodeSpec;
import dht.testkit.transcript.Promise;
import dht.testkit.transcript.Transcript;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class ServerUnderTestTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int CONNECTIONS = 3;

    private final List<Integer> clientPorts = new CopyOnWriteArrayList<>();

    /** Makes the first requests overlap, so that each needs its own connection. */
    private final CountDownLatch together = new CountDownLatch(CONNECTIONS);

    @Test
    void connections_whenFewerAreNeeded_areUsedInTurn() {
        try (var home = NodeHome.start(InProcess.of(this::serve), "node-1");
                var server =
                        new ServerUnderTest(
                                home, new Transcript("test", Promise.STATUS_ANSWERS), PATIENCE)) {
            ClientThreads.run(CONNECTIONS, PATIENCE, _ -> server.status());
            clientPorts.clear();
            for (var i = 0; i < 2 * CONNECTIONS; i++) {
                server.status();
            }
        }
        var first = clientPorts.subList(0, CONNECTIONS);
        assertThat(first).doesNotHaveDuplicates();
        assertThat(clientPorts.subList(CONNECTIONS, 2 * CONNECTIONS)).isEqualTo(first);
    }

    private AutoCloseable serve(NodeSpec spec) throws IOException {
        var server = HttpServer.create(new InetSocketAddress(NodeSpec.HOST, spec.port()), 0);
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
        return () -> {
            server.stop(0);
            threads.close();
        };
    }

    private void answer(HttpExchange exchange) throws IOException {
        clientPorts.add(exchange.getRemoteAddress().getPort());
        together.countDown();
        try {
            together.await();
        } catch (InterruptedException failed) {
            throw new IOException(failed);
        }
        exchange.sendResponseHeaders(200, -1);
        exchange.close();
    }
}
