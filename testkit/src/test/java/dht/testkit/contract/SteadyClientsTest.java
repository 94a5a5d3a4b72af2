package dht.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dht.testkit.ServerUnderTest;
import dht.testkit.node.InProcess;
import dht.testkit.node.NodeHome;
import dht.testkit.node.NodeSpec;
import dht.testkit.transcript.Promise;
import dht.testkit.transcript.Transcript;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that the clients notice how slowly they are served. No check needs a fast machine. */
@Timeout(60)
class SteadyClientsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration PAUSE = Duration.ofMillis(10);
    private static final int SLOW_MILLIS = 300;

    private final Map<String, byte[]> values = new ConcurrentHashMap<>();
    private final AtomicInteger askedCount = new AtomicInteger();

    /** What the server does before it answers a request, which has a number, from 1. */
    private interface Delay {
        void before(int number) throws InterruptedException;
    }

    private AutoCloseable serve(NodeSpec spec, Delay delay) throws IOException {
        var server = HttpServer.create(new InetSocketAddress(NodeSpec.HOST, spec.port()), 0);
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(threads);
        server.createContext("/v0/entity", exchange -> answer(exchange, delay));
        server.createContext("/v0/status", exchange -> respond(exchange, 200));
        server.start();
        return () -> {
            server.stop(0);
            threads.close();
        };
    }

    private void answer(HttpExchange exchange, Delay delay) throws IOException {
        try (exchange) {
            delay.before(askedCount.incrementAndGet());
            var key = exchange.getRequestURI().getQuery();
            if (exchange.getRequestMethod().equals("PUT")) {
                values.put(key, exchange.getRequestBody().readAllBytes());
                respond(exchange, 201);
            } else {
                var value = values.get(key);
                exchange.sendResponseHeaders(200, value.length);
                exchange.getResponseBody().write(value);
            }
        } catch (InterruptedException ended) {
            throw new IOException(ended);
        }
    }

    private static void respond(HttpExchange exchange, int status) throws IOException {
        try (exchange) {
            exchange.sendResponseHeaders(status, -1);
        }
    }

    private long p99Millis(Delay delay, int count) {
        try (var home = NodeHome.start(InProcess.of(spec -> serve(spec, delay)), "node-1");
                var server =
                        new ServerUnderTest(
                                home, new Transcript("test", Promise.CLIENTS_ARE_APART), PATIENCE);
                var clients = SteadyClients.start(server, PAUSE)) {
            clients.awaitAnswered(count);
            clients.expectServed();
            return clients.p99Millis(0);
        }
    }

    @Test
    void p99_twoOfAHundredAreSlow_isThatOfTheSlow() {
        Delay delay =
                number -> {
                    if (number % 50 == 0) {
                        TimeUnit.MILLISECONDS.sleep(SLOW_MILLIS);
                    }
                };
        assertThat(p99Millis(delay, 200)).isGreaterThanOrEqualTo(SLOW_MILLIS);
    }

    /** Only four clients wait, but many requests are due meanwhile. */
    @Test
    void p99_serverStallsOnce_isThatOfTheStall() {
        var stallEnds = new CountDownLatch(1);
        Delay delay =
                number -> {
                    if (number == 100) {
                        TimeUnit.MILLISECONDS.sleep(2 * SLOW_MILLIS);
                        stallEnds.countDown();
                    } else if (number > 100) {
                        stallEnds.await();
                    }
                };
        assertThat(p99Millis(delay, 600)).isGreaterThanOrEqualTo(SLOW_MILLIS);
    }
}
