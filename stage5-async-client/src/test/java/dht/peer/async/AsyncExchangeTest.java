package dht.peer.async;

import static dht.peer.async.StubNode.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.NoMemory;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerOptions;
import dht.peer.TimeoutQueue;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When an exchange with a node that has begun its answer is overdue. */
class AsyncExchangeTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
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
}
