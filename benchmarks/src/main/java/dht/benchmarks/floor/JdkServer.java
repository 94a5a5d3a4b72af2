package dht.benchmarks.floor;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dht.command.ResourceStack;
import dht.http.ListenAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/**
 * The server that comes with the JDK, {@code jdk.httpserver}. One thread waits for all connections;
 * an executor reads each request, answers and writes. Thread-safe.
 */
final class JdkServer {
    private final Answers answers;

    private JdkServer(Answers answers) {
        this.answers = answers;
    }

    /** With its default executor: the one thread that waits does everything itself. */
    static void start(ResourceStack resources, ListenAddress address, Answers answers)
            throws IOException {
        start(resources, address, answers, Runnable::run);
    }

    /** With a virtual thread for each request. */
    static void startOnVirtualThreads(
            ResourceStack resources, ListenAddress address, Answers answers) throws IOException {
        start(
                resources,
                address,
                answers,
                resources.open(Executors::newVirtualThreadPerTaskExecutor));
    }

    private static void start(
            ResourceStack resources, ListenAddress address, Answers answers, Executor executor)
            throws IOException {
        // Read once, by the first server. Without the first, the rest of a long answer waits until
        // the client has acknowledged its beginning. Without the second, a connection is closed
        // after its answer if 200 others are idle.
        System.getProperties().putIfAbsent("sun.net.httpserver.nodelay", "true");
        System.getProperties().putIfAbsent("sun.net.httpserver.maxIdleConnections", "10000");
        HttpServer server =
                resources.open(
                        () ->
                                HttpServer.create(
                                        new InetSocketAddress(address.host(), address.port()),
                                        HttpLibrary.BACKLOG),
                        each -> each.stop(0));
        server.createContext("/", new JdkServer(answers)::answer);
        server.setExecutor(executor);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            Answers.Answer answer =
                    answers.to(exchange.getRequestMethod(), exchange.getRequestURI().getPath());
            int bytes = answer.body().length;
            exchange.sendResponseHeaders(answer.status(), bytes == 0 ? -1 : bytes);
            exchange.getResponseBody().write(answer.body());
        }
    }
}
