package dht.replication.async;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.http.EntityRequest;
import dht.http.EntityService;
import dht.http.HttpOptions;
import dht.http.HttpServer;
import dht.http.ListenAddress;
import dht.http.RequestExecutor;
import dht.http.Router;
import dht.replication.Coordination;
import dht.replication.HybridLogicalClock;
import dht.replication.Quorum;
import dht.replication.ReadAnswer;
import dht.replication.Replica;
import dht.replication.ReplicaFailure;
import dht.replication.WriteAnswer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two replicas that answer when the test says so, and one that throws. */
class ParallelWriteTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final int LATE_BYTES_MAX = 1000;
    private static final HttpOptions OPTIONS =
            new HttpOptions(1, 10, 8 << 10, 10, 8 << 10, 1 << 20, 1, SOON, SOON, SOON);

    private final Coordination coordination =
            new Coordination(
                    new HybridLogicalClock(InstantSource.system(), Duration.ofDays(1), 0),
                    RequestExecutor.inline(),
                    LATE_BYTES_MAX);
    private final BlockingQueue<Consumer<WriteAnswer>> asked = new LinkedBlockingQueue<>();
    private final HttpClient client = HttpClient.newHttpClient();
    private ListenAddress address;
    private HttpServer server;

    /** A write is what the test makes of it. */
    private interface Writing extends Replica {
        @Override
        default void read(EntityRequest.Get request, Consumer<ReadAnswer> receiver) {
            throw new AssertionError("nobody reads");
        }
    }

    private final class Held implements Writing {
        @Override
        public void write(EntityRequest request, long stamp, Consumer<WriteAnswer> receiver) {
            asked.add(receiver);
        }
    }

    private static final class Dying implements Writing {
        @Override
        public void write(EntityRequest request, long stamp, Consumer<WriteAnswer> receiver) {
            throw new OutOfMemoryError("made to fail");
        }
    }

    @BeforeEach
    void start() throws IOException {
        List<Replica> replicas = List.of(new Held(), new Held(), new Dying());
        ParallelFanOut fanOut = new ParallelFanOut(coordination, null);
        EntityService service =
                (request, responder) ->
                        fanOut.write(request, responder, new Quorum(2, 3), replicas);
        address = ListenAddress.free("127.0.0.1", 0);
        Router router = Router.forNode(null, service, RequestExecutor.inline(), OPTIONS);
        server = new HttpServer(address, OPTIONS, router);
        server.start();
    }

    @AfterEach
    void end() {
        server.stop();
        client.close();
    }

    private CompletableFuture<HttpResponse<String>> put() {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(address.url() + "/v0/entity?id=k"))
                        .timeout(SOON)
                        .PUT(BodyPublishers.ofString("value"))
                        .build();
        return client.sendAsync(request, BodyHandlers.ofString(UTF_8));
    }

    private Consumer<WriteAnswer> nextAsked() throws InterruptedException {
        return asked.poll(SOON.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void write_thatOneReplicaThrowsAt_isDecidedByTheOthers() throws Exception {
        var response = put();
        Consumer<WriteAnswer> first = nextAsked();
        Consumer<WriteAnswer> second = nextAsked();
        first.accept(WriteAnswer.Stored.INSTANCE);
        second.accept(WriteAnswer.Stored.INSTANCE);
        assertThat(response.get().statusCode()).isEqualTo(201);
    }

    @Test
    void write_thatTooManyFailAt_saysSoOfThemAll() throws Exception {
        var response = put();
        nextAsked().accept(new WriteAnswer.Failed(new ReplicaFailure("http://other", "is gone")));
        assertThat(response.get().statusCode()).isEqualTo(504);
        assertThat(response.get().body()).contains("this node", "made to fail", "is gone");
        nextAsked().accept(WriteAnswer.Stored.INSTANCE);
        assertThat(coordination.lateMemory().tryTake(LATE_BYTES_MAX)).isTrue();
    }
}
