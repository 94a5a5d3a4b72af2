package dht.stage2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.command.RunningServer;
import dht.execution.CountedExecutor;
import dht.execution.ExecutionOptions;
import dht.execution.ExecutorKind;
import dht.http.ListenAddress;
import dht.storage.StorageOptions;
import dht.storage.StorageUnavailableException;
import dht.storage.file.LocalDirectory;
import dht.storage.lsm.LsmDao;
import dht.testkit.concurrent.Deadline;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server whose only worker is blocked. A test moves the clock that the queue uses. */
@Timeout(60)
class BusyServerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration QUEUE_DEADLINE = Duration.ofMillis(500);
    private static final byte[] KEY = {'k'};

    private final AtomicLong nowNanos = new AtomicLong();
    private final List<String> ending = new CopyOnWriteArrayList<>();
    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir private Path directory;
    private ListenAddress address;
    private LsmDao dao;
    private HoldingExecutor executor;
    private RunningServer server;

    private void start(int workerCount, int queueLengthMax) throws IOException {
        var options =
                new ExecutionOptions(
                        ExecutorKind.FIFO, workerCount, queueLengthMax, QUEUE_DEADLINE, PATIENCE);
        CountedExecutor pool = options.kind().open("worker", options, nowNanos::get);
        executor = new HoldingExecutor(pool, this::tellEnding);
        dao =
                LsmDao.open(
                        LocalDirectory.open(directory),
                        StorageOptions.builder().memTableBytes(1 << 20).build());
        address = ListenAddress.free("127.0.0.1", 0);
        server =
                RunningServer.start(
                        resources -> {
                            resources.open(() -> dao);
                            resources.open(() -> executor);
                            return Stage2Server.start(
                                    resources, address, DefaultOptions.http(), executor, dao);
                        });
    }

    /** Called before and after the pool's end. */
    private void tellEnding(String moment) {
        ending.add(
                moment
                        + (isAccepting() ? ", server up" : ", server down")
                        + (isStorageOpen() ? ", storage open" : ", storage closed"));
    }

    private boolean isAccepting() {
        try (Socket _ = new Socket(address.host(), address.port())) {
            return true;
        } catch (SocketException e) { // Refused, or reset while the port is being closed.
            return false;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private boolean isStorageOpen() {
        try {
            dao.get(KEY);
            return true;
        } catch (StorageUnavailableException e) {
            return false;
        }
    }

    @AfterEach
    void stop() {
        executor.release();
        server.close();
        client.close();
    }

    @Test
    void request_thatTakesLong_holdsNobodyElseUp() throws Exception {
        start(2, 16);
        var slow = askHeld("slow");

        for (int i = 0; i < 10; i++) {
            assertThat(answer(ask("other")).statusCode()).isEqualTo(404);
            assertThat(answer(send("/v0/status")).statusCode()).isEqualTo(200);
        }
        assertThat(slow).isNotDone();

        executor.release();
        assertThat(answer(slow).statusCode()).isEqualTo(404);
    }

    @Test
    void request_takenAfterItsDeadline_is503AndCounted() throws Exception {
        start(1, 16);
        var held = askHeld("held");
        var late = askQueued("late", 1);
        nowNanos.addAndGet(QUEUE_DEADLINE.toNanos());
        var inTime = askQueued("in-time", 2);
        nowNanos.addAndGet(1);
        executor.release();

        assertThat(answer(held).statusCode()).isEqualTo(404);
        expectRefused(late);
        assertThat(answer(inTime).statusCode()).isEqualTo(404);
        assertMetrics(rejected("deadline") + " 1.0", rejected("full") + " 0.0");
    }

    @Test
    void metrics_ofABusyServer_showWhoWaitsIsWorkedOnAndWasRefused() throws Exception {
        start(1, 2);
        var taken = List.of(askHeld("a"), askQueued("b", 1), askQueued("c", 2));
        expectRefused(ask("d"));
        expectRefused(ask("e"));

        assertMetrics(
                "requests_queued 2.0",
                "requests_in_flight 1.0",
                rejected("full") + " 2.0",
                rejected("deadline") + " 0.0",
                "method=\"GET\",path=\"/v0/entity\",status=\"5xx\"} 2");

        executor.release();
        for (var one : taken) {
            assertThat(answer(one).statusCode()).isEqualTo(404);
        }
        Deadline.in(PATIENCE).await("the worker rests", () -> executor.inFlightCount() == 0);
        assertMetrics("requests_queued 0.0", "requests_in_flight 0.0");
    }

    @Test
    void request_whenThePoolHasStopped_is503AndCounted() throws Exception {
        start(1, 2);
        executor.close();

        expectRefused(ask("a"));
        assertMetrics(rejected("stopping") + " 1.0");
    }

    @Test
    void close_requestsWaiting_answersThemThenEndsPoolThenStorage() throws Exception {
        start(1, 16);
        var held = askHeld("held");
        var write =
                client.sendAsync(
                        to("/v0/entity?id=k").PUT(BodyPublishers.ofString("value")).build(),
                        BodyHandlers.ofString());
        executor.awaitQueued(1);
        var read = askQueued("k", 2);
        Thread closing = Thread.ofPlatform().start(server::close);
        Deadline.in(PATIENCE).await("the server accepts no more", () -> !isAccepting());
        executor.release();

        assertThat(answer(held).statusCode()).isEqualTo(404);
        assertThat(answer(write).statusCode()).isEqualTo(201);
        assertThat(answer(read).body()).isEqualTo("value");
        closing.join();
        assertThat(ending)
                .containsExactly(
                        "pool ends, server down, storage open",
                        "pool ended, server down, storage open");
        assertThatThrownBy(() -> dao.get(KEY)).isInstanceOf(StorageUnavailableException.class);
    }

    private CompletableFuture<HttpResponse<String>> askHeld(String key) {
        executor.holdNext();
        var answer = ask(key);
        executor.awaitHeld();
        return answer;
    }

    private CompletableFuture<HttpResponse<String>> askQueued(String key, int queuedCount) {
        var answer = ask(key);
        executor.awaitQueued(queuedCount);
        return answer;
    }

    private CompletableFuture<HttpResponse<String>> ask(String key) {
        return send("/v0/entity?id=" + key);
    }

    private CompletableFuture<HttpResponse<String>> send(String target) {
        return client.sendAsync(to(target).build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder to(String target) {
        return HttpRequest.newBuilder(URI.create(address.url() + target));
    }

    private static HttpResponse<String> answer(CompletableFuture<HttpResponse<String>> asked)
            throws Exception {
        return asked.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static void expectRefused(CompletableFuture<HttpResponse<String>> asked)
            throws Exception {
        HttpResponse<String> answer = answer(asked);
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
    }

    private static String rejected(String cause) {
        return "requests_rejected_total{cause=\"%s\"}".formatted(cause);
    }

    /** Soon after an answer, not before it, its request is counted. */
    private void assertMetrics(String... samples) throws Exception {
        Deadline deadline = Deadline.in(PATIENCE);
        String metrics;
        do {
            metrics = answer(send("/metrics")).body();
        } while (!Stream.of(samples).allMatch(metrics::contains) && !deadline.passed());
        assertThat(metrics).contains(samples);
    }
}
