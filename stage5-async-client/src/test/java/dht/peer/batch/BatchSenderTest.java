package dht.peer.batch;

import static dht.peer.async.StubNode.bytes;
import static dht.peer.async.StubNode.readHead;
import static org.assertj.core.api.Assertions.assertThat;

import dht.http.EntityRequest;
import dht.http.HttpOptions;
import dht.http.HttpServer;
import dht.http.ListenAddress;
import dht.http.MemoryBudget;
import dht.http.RequestExecutor;
import dht.http.RequestTrace;
import dht.http.Responder;
import dht.http.Response;
import dht.http.Router;
import dht.peer.PeerCall;
import dht.peer.PeerOptions;
import dht.peer.TimeoutQueue;
import dht.peer.async.AsyncClient;
import dht.peer.async.PeerExecutorKind;
import dht.peer.async.PeerTransport;
import dht.peer.async.StubNode;
import dht.peer.async.TestPeers;
import dht.testkit.concurrent.Deadline;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests of clients that a server passes to another node, which is busy. */
class BatchSenderTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final HttpOptions OPTIONS =
            TestPeers.serverOptions(PATIENCE, Duration.ofMillis(100));
    private static final PeerOptions PEER_OPTIONS =
            new PeerOptions(1, 1, PATIENCE, PATIENCE, 3, PATIENCE, Duration.ZERO);

    private final HttpClient browser = HttpClient.newHttpClient();
    private final BlockingQueue<String> heads = new LinkedBlockingQueue<>();
    private final BlockingQueue<Long> numbers = new LinkedBlockingQueue<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final PeerTransport transport = new PeerTransport(PeerExecutorKind.DIRECT, PATIENCE);
    private StubNode node;
    private AsyncClient client;
    private BatchSender sender;
    private ListenAddress address;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        node =
                new StubNode(
                        (in, out, _) -> {
                            heads.add(readHead(in));
                            over.await();
                            out.write(bytes("HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n"));
                        });
        var memory = new MemoryBudget(0);
        client =
                new AsyncClient(
                        node.address(), TestPeers.CREDENTIALS, PEER_OPTIONS, transport, memory);
        long endless = PATIENCE.toNanos();
        sender = new BatchSender(64, client, new TimeoutQueue(() -> {}, endless, endless, () -> 0));
        address = ListenAddress.free("127.0.0.1", 0);
        Router router =
                Router.forNode(
                        null, // Nobody asks for ranges.
                        this::pass,
                        RequestExecutor.inline(),
                        OPTIONS);
        server = new HttpServer(address, OPTIONS, router);
        server.start();
    }

    private void pass(EntityRequest request, Responder responder) {
        numbers.add(RequestTrace.of(request).number());
        sender.send(
                new PeerCall(
                        client.health(),
                        request,
                        0,
                        _ -> responder.respond(Response.unavailable("the test is over"))));
    }

    @AfterEach
    void end() throws IOException {
        over.countDown();
        node.close();
        transport.close();
        server.close();
        browser.close();
    }

    private void get(String key) {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(address.url() + "/v0/entity?id=" + key)).build();
        browser.sendAsync(request, BodyHandlers.discarding());
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(next).as("nothing has come").isNotNull();
        return next;
    }

    @Test
    void node_thatGetsAnotherAddress_getsMessagesThere() {
        URI before = sender.batches("http://192.0.2.1:80");
        assertThat(before).hasToString("http://192.0.2.1:80" + Batch.PATH);
        assertThat(sender.batches("http://192.0.2.1:80")).isSameAs(before);
        assertThat(sender.batches("http://192.0.2.2:80"))
                .hasToString("http://192.0.2.2:80" + Batch.PATH);
    }

    @Test
    void message_ofRecordedRequests_saysTheirNumbers() throws Exception {
        try (Recording recording = new Recording()) {
            recording.enable("dht.Request");
            recording.start();
            get("first");
            assertThat(next(heads)).contains("id=first").contains("&requests=" + next(numbers));
            get("a");
            get("b");
            Deadline.in(PATIENCE)
                    .await("two questions that wait", () -> sender.waitingCount() == 2);
            over.countDown();
            assertThat(next(heads))
                    .startsWith(
                            "PUT %s?requests=%d,%d HTTP/1.1\r\n"
                                    .formatted(Batch.PATH, next(numbers), next(numbers)));
        }
    }
}
