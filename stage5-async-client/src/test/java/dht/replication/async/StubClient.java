package dht.replication.async;

import dht.http.EntityRequest;
import dht.http.HttpOptions;
import dht.http.HttpServer;
import dht.http.ListenAddress;
import dht.http.RequestExecutor;
import dht.http.Responder;
import dht.http.Router;
import dht.peer.async.TestPeers;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client whose requests a test takes, and has answered. Used by one thread at a time. */
final class StubClient implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** A test that has failed leaves a request without an answer. */
    private static final Duration DRAIN_TIMEOUT = Duration.ofMillis(100);

    private static final HttpOptions OPTIONS = TestPeers.serverOptions(PATIENCE, DRAIN_TIMEOUT);

    private final BlockingQueue<Taken> taken = new LinkedBlockingQueue<>();
    private final ListenAddress address = ListenAddress.free("127.0.0.1", 0);
    private final HttpServer server;
    private final HttpClient client = HttpClient.newHttpClient();

    private record Taken(EntityRequest request, Responder responder) {}

    /** A request, and what the client gets for it. */
    record Exchange(
            EntityRequest request,
            Responder responder,
            CompletableFuture<HttpResponse<String>> response) {
        /** Waits until it is answered. */
        int status() throws Exception {
            return response.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).statusCode();
        }
    }

    StubClient() throws IOException {
        Router router =
                Router.forNode(
                        null, // Nobody asks for ranges.
                        (request, responder) -> taken.add(new Taken(request, responder)),
                        RequestExecutor.inline(),
                        OPTIONS);
        server = new HttpServer(address, OPTIONS, router);
        server.start();
    }

    Exchange get() throws InterruptedException {
        return begin(HttpRequest.newBuilder().GET());
    }

    Exchange put(String value) throws InterruptedException {
        return begin(HttpRequest.newBuilder().PUT(HttpRequest.BodyPublishers.ofString(value)));
    }

    private Exchange begin(HttpRequest.Builder request) throws InterruptedException {
        URI uri = URI.create(address.url() + "/v0/entity?id=k");
        var response =
                client.sendAsync(
                        request.uri(uri).timeout(PATIENCE).build(),
                        HttpResponse.BodyHandlers.ofString());
        Taken next = taken.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no request came: " + response);
        }
        return new Exchange(next.request, next.responder, response);
    }

    /** Closes without waiting for requests that the test has left without an answer. */
    @Override
    public void close() {
        client.shutdownNow();
        server.stop();
    }
}
