package dht.peer.async;

import static dht.peer.async.StubNode.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.NoMemory;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerOptions;
import dht.peer.TimeoutQueue;
import dht.testkit.concurrent.Deadline;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When an exchange with a node is overdue, and what it does when the client or memory fails. */
class AsyncExchangeTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int MIB = 1 << 20;
    private static final PeerOptions OPTIONS =
            new PeerOptions(1, 1, TIMEOUT, TIMEOUT, 1, TIMEOUT, Duration.ZERO);

    private record Head(int statusCode, int bodyBytes) implements HttpResponse.ResponseInfo {
        @Override
        public HttpHeaders headers() {
            return HttpHeaders.of(
                    Map.of("Content-Length", List.of("" + bodyBytes)), (_, _) -> true);
        }

        @Override
        public HttpClient.Version version() {
            return HttpClient.Version.HTTP_1_1;
        }
    }

    /** A large answer takes longer: it gets the timeout once more for each MiB. */
    @ParameterizedTest
    @CsvSource({"5, 0, false", "5, 2, true", "1048576, 1, false", "1048576, 3, true"})
    void exchange_withAnAnswerOfThisSize_isOverdueAfterItsTimeouts(
            int bodyBytes, int timeoutsAgo, boolean isOverdue) throws Exception {
        BlockingQueue<PeerAnswer> told = new LinkedBlockingQueue<>();
        TimeoutQueue timeouts = new TimeoutQueue(() -> {}, 1, 1, () -> 0);
        try (StubNode silent = new StubNode((in, _, _) -> in.readAllBytes());
                var transport = new PeerTransport(PeerExecutorKind.DIRECT, TIMEOUT)) {
            var requests = new PeerRequestFactory(silent.address(), TestPeers.CREDENTIALS, OPTIONS);
            var memory = new MemoryBudget(MIB);
            var exchange =
                    new AsyncExchange(
                            new AsyncExchange.Context(
                                    transport, requests, timeouts, memory, () -> {}),
                            told::add);
            exchange.begin(
                    () -> requests.request(new EntityRequest.Get(bytes("k"), null), 0, false),
                    System.nanoTime() - timeoutsAgo * TIMEOUT.toNanos(),
                    TIMEOUT.toNanos());
            exchange.apply(new Head(200, bodyBytes));
            exchange.expire();
            assertThat(exchange.isOver()).isEqualTo(isOverdue);
            assertThat(told.contains(new TimedOut())).isEqualTo(isOverdue);
        }
    }

    /** If it threw, or returned nothing, the client would leave the connection open for ever. */
    @Test
    void head_thatCannotBeRead_isRefusedTogetherWithItsBody() {
        BlockingQueue<PeerAnswer> told = new LinkedBlockingQueue<>();
        var unread =
                new HttpResponse.ResponseInfo() {
                    @Override
                    public int statusCode() {
                        return 200;
                    }

                    @Override
                    public HttpHeaders headers() {
                        throw new OutOfMemoryError("as the test wants it");
                    }

                    @Override
                    public HttpClient.Version version() {
                        return HttpClient.Version.HTTP_1_1;
                    }
                };
        var requests =
                new PeerRequestFactory(
                        new NodeAddress("127.0.0.1", 1), TestPeers.CREDENTIALS, OPTIONS);
        var context =
                new AsyncExchange.Context(null, requests, null, new MemoryBudget(0), () -> {});
        var body = new AsyncExchange(context, told::add).apply(unread);
        assertThat(told).containsExactly(new NoMemory());
        assertThat(body.getBody().toCompletableFuture()).isCompletedWithValue(new NoMemory());
        AtomicBoolean cancelled = new AtomicBoolean();
        body.onSubscribe(
                new Flow.Subscription() {
                    @Override
                    public void request(long count) {
                        throw new AssertionError("nobody wants it");
                    }

                    @Override
                    public void cancel() {
                        cancelled.set(true);
                    }
                });
        assertThat(cancelled).isTrue();
    }

    /** Its only request has this future. */
    private static final class HeldClient extends StubHttpClient {
        private final CompletableFuture<HttpResponse<PeerAnswer>> sent;
        private final Runnable meanwhile;

        /**
         * @param meanwhile what happens while the request is being sent
         */
        HeldClient(CompletableFuture<HttpResponse<PeerAnswer>> sent, Runnable meanwhile) {
            this.sent = sent;
            this.meanwhile = meanwhile;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> CompletableFuture<HttpResponse<T>> sendAsync(
                HttpRequest request, HttpResponse.BodyHandler<T> handler) {
            meanwhile.run();
            return (CompletableFuture<HttpResponse<T>>) (CompletableFuture<?>) sent;
        }
    }

    private static PeerTransport transport(CompletableFuture<HttpResponse<PeerAnswer>> sent) {
        return new PeerTransport(PeerExecutorKind.DIRECT, TIMEOUT, new HeldClient(sent, () -> {}));
    }

    private static AsyncExchange begun(
            PeerTransport transport,
            TimeoutQueue timeouts,
            MemoryBudget memory,
            BlockingQueue<PeerAnswer> told,
            int timeoutsAgo) {
        var requests =
                new PeerRequestFactory(
                        new NodeAddress("127.0.0.1", 1), TestPeers.CREDENTIALS, OPTIONS);
        var context = new AsyncExchange.Context(transport, requests, timeouts, memory, () -> {});
        var exchange = new AsyncExchange(context, told::add);
        exchange.begin(
                () -> requests.request(new EntityRequest.Get(bytes("k"), null), 0, false),
                System.nanoTime() - timeoutsAgo * TIMEOUT.toNanos(),
                TIMEOUT.toNanos());
        return exchange;
    }

    private static TimeoutQueue neverDue() {
        return new TimeoutQueue(() -> {}, 1, 1, () -> 0);
    }

    @Test
    void exchange_whoseBeginningFailsAfterItWasSent_isCancelledLater() {
        var sent =
                new CompletableFuture<HttpResponse<PeerAnswer>>() {
                    @Override
                    public CompletableFuture<HttpResponse<PeerAnswer>> exceptionallyAsync(
                            Function<Throwable, ? extends HttpResponse<PeerAnswer>> handler,
                            Executor executor) {
                        throw new OutOfMemoryError("as the test wants it");
                    }
                };
        var nowNanos = new AtomicLong();
        var timeouts = new TimeoutQueue(() -> {}, 1, 1, nowNanos::get);
        BlockingQueue<PeerAnswer> told = new LinkedBlockingQueue<>();
        try (var transport = transport(sent)) {
            begun(transport, timeouts, new MemoryBudget(0), told, 2);
            assertThat(told).containsExactly(new NoMemory());
            nowNanos.addAndGet(TIMEOUT.toNanos());
            timeouts.runDue();
            assertThat(sent).isCancelled();
        }
    }

    /** Otherwise its connection would stay open for as long as the node is silent. */
    @Test
    void overdueExchange_thatCannotBeCancelledForLackOfMemory_isCancelledLater() {
        var attempts = new AtomicInteger();
        var sent =
                new CompletableFuture<HttpResponse<PeerAnswer>>() {
                    @Override
                    public boolean cancel(boolean mayInterrupt) {
                        if (attempts.incrementAndGet() == 1) {
                            throw new OutOfMemoryError("as the test wants it");
                        }
                        return super.cancel(mayInterrupt);
                    }
                };
        var nowNanos = new AtomicLong();
        var timeouts = new TimeoutQueue(() -> {}, 1, 1, nowNanos::get);
        BlockingQueue<PeerAnswer> told = new LinkedBlockingQueue<>();
        try (var transport = transport(sent)) {
            begun(transport, timeouts, new MemoryBudget(0), told, 2);
            nowNanos.addAndGet(TIMEOUT.toNanos());
            timeouts.runDue();
            assertThat(told).containsExactly(new TimedOut());
            assertThat(sent).isNotDone();
            nowNanos.incrementAndGet();
            timeouts.runDue();
            assertThat(sent).isCancelled();
            nowNanos.incrementAndGet();
            timeouts.runDue();
            assertThat(attempts).hasValue(2);
        }
        assertThat(told).hasSize(1);
    }

    /** There is no future yet that could be cancelled. */
    @Test
    void exchange_overdueWhileItIsBeingSent_isCancelled() {
        var nowNanos = new AtomicLong();
        var timeouts = new TimeoutQueue(() -> {}, 1, 1, nowNanos::get);
        var sent = new CompletableFuture<HttpResponse<PeerAnswer>>();
        BlockingQueue<PeerAnswer> told = new LinkedBlockingQueue<>();
        Runnable timeout =
                () -> {
                    nowNanos.addAndGet(TIMEOUT.toNanos());
                    timeouts.runDue();
                };
        var client = new HeldClient(sent, timeout);
        try (var transport = new PeerTransport(PeerExecutorKind.DIRECT, TIMEOUT, client)) {
            begun(transport, timeouts, new MemoryBudget(0), told, 2);
            assertThat(told).containsExactly(new TimedOut());
            assertThat(sent).isCancelled();
        }
    }

    /** The client has read the head, and fails before it has told the body anything. */
    @Test
    void exchange_thatFailsBetweenHeadAndBody_givesTheMemoryOfTheBodyBack() throws Exception {
        var sent = new CompletableFuture<HttpResponse<PeerAnswer>>();
        var memory = new MemoryBudget(MIB);
        BlockingQueue<PeerAnswer> told = new LinkedBlockingQueue<>();
        try (var transport = transport(sent)) {
            AsyncExchange exchange = begun(transport, neverDue(), memory, told, 0);
            exchange.apply(new Head(200, MIB));
            assertThat(memory.takenBytes()).isEqualTo(MIB);
            sent.completeExceptionally(new IOException(new OutOfMemoryError("made by the test")));
            assertThat(told.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(new NoMemory());
            Deadline.in(PATIENCE).await("the memory is back", () -> memory.takenBytes() == 0);
        }
    }

    @Test
    void head_thatComesAfterTheEnd_isRefusedAndHoldsNoMemory() {
        var memory = new MemoryBudget(MIB);
        BlockingQueue<PeerAnswer> told = new LinkedBlockingQueue<>();
        try (var transport = transport(new CompletableFuture<>())) {
            AsyncExchange exchange = begun(transport, neverDue(), memory, told, 2);
            exchange.expire();
            assertThat(exchange.apply(new Head(200, MIB))).isInstanceOf(RefusedBody.class);
            Deadline.in(PATIENCE).await("the memory is back", () -> memory.takenBytes() == 0);
        }
        assertThat(told).containsExactly(new TimedOut());
    }

    /** The client would take it for a failure of the body, and might end its thread. */
    @Test
    void answer_withoutMemoryToCompleteTheFuture_isReceivedAll() {
        var sent =
                new CompletableFuture<HttpResponse<PeerAnswer>>() {
                    @Override
                    public boolean complete(HttpResponse<PeerAnswer> value) {
                        throw new OutOfMemoryError("as the test wants it");
                    }
                };
        BlockingQueue<PeerAnswer> told = new LinkedBlockingQueue<>();
        try (var transport = transport(sent)) {
            AsyncExchange exchange = begun(transport, neverDue(), new MemoryBudget(0), told, 0);
            var body = exchange.apply(new Head(200, 0));
            body.onComplete();
            assertThat(told).singleElement().isInstanceOf(Answered.class);
            assertThat(body.getBody().toCompletableFuture()).isCompleted();
        }
    }
}
