package dht.stage5;

import static dht.peer.async.StubNode.bytes;
import static dht.peer.async.StubNode.readHead;
import static org.assertj.core.api.Assertions.assertThat;

import dht.command.RunningServer;
import dht.command.StageCommand;
import dht.peer.async.StubNode;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.node.Ports;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the copies that an acknowledged write still has to make, when replicas are asked one after
 * the other.
 */
@Timeout(120)
class SequentialStopTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String ABSENT = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    private static final String STORED = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n";

    @TempDir private Path directory;
    private final List<Integer> asked = new CopyOnWriteArrayList<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Semaphore mayAnswer = new Semaphore(1); // The first copy, at once.
    private final Semaphore arrivals = new Semaphore(0);

    /** A replica that stores when the test allows it. */
    private void store(int replica, InputStream in, OutputStream out) throws Exception {
        while (true) {
            String head = readHead(in);
            boolean isGreeting = head.contains(" /internal/v0/node ");
            if (!isGreeting) {
                asked.add(replica);
                arrivals.release();
                mayAnswer.acquire();
            }
            out.write(bytes(isGreeting ? ABSENT : STORED));
            out.flush();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "one-nio"})
    void stop_whileCopiesAreLeft_makesThemFirst(String client) throws Exception {
        try (StubNode first = new StubNode((in, out, _) -> store(1, in, out));
                StubNode second = new StubNode((in, out, _) -> store(2, in, out));
                StubNode third = new StubNode((in, out, _) -> store(3, in, out));
                Ports.Lease port = Ports.lease();
                HttpClient http = HttpClient.newHttpClient()) {
            String self = "http://127.0.0.1:" + port.port();
            String cluster =
                    Stream.of(first, second, third)
                            .map(node -> node.address().url())
                            .collect(Collectors.joining(",", self + ",", ""));
            RunningServer server = start(port, self, cluster, client);
            var put =
                    HttpRequest.newBuilder(URI.create(self + "/v0/entity?id=k&replicas=1/4"))
                            .timeout(PATIENCE)
                            .PUT(BodyPublishers.ofString("v"));
            assertThat(http.send(put.build(), BodyHandlers.ofString()).statusCode()).isEqualTo(201);
            awaitArrivals(2); // The second one is held.
            try (var stop = ClientThreads.start(1, _ -> close(server))) {
                assertThat(stopped.await(500, TimeUnit.MILLISECONDS))
                        .as("it has stopped before the copies are made")
                        .isFalse();
                mayAnswer.release();
                awaitArrivals(1);
                mayAnswer.release();
                stop.join(PATIENCE);
            }
            assertThat(asked).containsExactlyInAnyOrder(1, 2, 3);
        }
    }

    private void awaitArrivals(int count) throws InterruptedException {
        assertThat(arrivals.tryAcquire(count, PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("replicas are asked")
                .isTrue();
    }

    private void close(RunningServer server) {
        server.close();
        stopped.countDown();
    }

    private RunningServer start(Ports.Lease port, String self, String cluster, String client)
            throws Exception {
        Main main = new Main();
        StageCommand.lineOf(main)
                .parseArgs(
                        "--fan-out=sequential",
                        "--queue-deadline=10s",
                        "--peer-client=" + client,
                        "--peer-timeout=" + PATIENCE.toSeconds() + "s",
                        "--drain-timeout=" + PATIENCE.toSeconds() + "s",
                        "--repair-interval=0s",
                        "--rebuild=off",
                        "--port=" + port.port(),
                        "--data=" + directory,
                        "--self=" + self,
                        "--cluster=" + cluster);
        return RunningServer.start(main::start);
    }
}
