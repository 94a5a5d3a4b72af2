package dht.peer.batch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerCall;
import dht.peer.PeerOptions;
import dht.peer.TimeoutQueue;
import dht.peer.async.AsyncClient;
import dht.peer.async.PeerTransport;
import dht.peer.async.StubHttpClient;
import dht.peer.async.TestPeers;
import dht.testkit.junit.CapturedErr;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** A bug of this node shows when the answer to a batch arrives. */
@ResourceLock(Resources.SYSTEM_ERR)
class FailedBatchTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final PeerOptions OPTIONS =
            new PeerOptions(1, 1, PATIENCE, PATIENCE, 3, PATIENCE, Duration.ZERO);

    @RegisterExtension private final CapturedErr log = new CapturedErr();

    /** Each of them answers one message, in the order in which they were sent. */
    private final Queue<Runnable> underWay = new ArrayDeque<>();

    private final PeerTransport transport = TestPeers.transport(new HeldClient());
    private boolean hasBug;

    @AfterEach
    void end() {
        transport.close();
    }

    private long nowNanos() {
        if (hasBug) {
            throw new IllegalStateException("made by the test");
        }
        return 0;
    }

    @Test
    void batch_afterWhichABugIsMet_isAnsweredNevertheless() {
        var node = new NodeAddress("127.0.0.1", 1);
        var memory = new MemoryBudget(0);
        var client = new AsyncClient(node, TestPeers.CREDENTIALS, OPTIONS, transport, memory);
        var sender = new BatchSender(2, client, new TimeoutQueue(() -> {}, 1, 1, this::nowNanos));
        List<PeerAnswer> answers = new ArrayList<>();
        for (String key : List.of("alone", "together", "with another", "waits")) {
            var get = new EntityRequest.Get(key.getBytes(UTF_8), null);
            sender.send(new PeerCall(client.health(), get, 0, answers::add));
        }
        underWay.remove().run();
        assertThat(answers).singleElement().isInstanceOf(Answered.class);
        assertThat(sender.waitingCount()).isEqualTo(1);

        hasBug = true; // The next message is sent before the receivers run.
        underWay.remove().run();

        assertThat(answers.subList(1, answers.size()))
                .hasSize(2)
                .allMatch(
                        answer -> answer instanceof Answered(int status, _, _, _) && status == 503);
        assertThat(log.toString()).contains("node=" + node, "IllegalStateException");
    }

    /** Answers 503 when the test wants it. */
    private final class HeldClient extends StubHttpClient {
        @Override
        public <T> CompletableFuture<HttpResponse<T>> sendAsync(
                HttpRequest request, HttpResponse.BodyHandler<T> handler) {
            underWay.add(
                    () -> {
                        HttpResponse.BodySubscriber<T> body = handler.apply(new Unavailable());
                        body.onSubscribe(new Unneeded());
                        body.onComplete();
                    });
            return new CompletableFuture<>();
        }
    }

    private record Unavailable() implements HttpResponse.ResponseInfo {
        @Override
        public int statusCode() {
            return 503;
        }

        @Override
        public HttpHeaders headers() {
            return HttpHeaders.of(Map.of("Content-Length", List.of("0")), (_, _) -> true);
        }

        @Override
        public HttpClient.Version version() {
            return HttpClient.Version.HTTP_1_1;
        }
    }

    private static final class Unneeded implements Flow.Subscription {
        @Override
        public void request(long count) {}

        @Override
        public void cancel() {}
    }
}
