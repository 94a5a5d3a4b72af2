package dht.peer.blocking;

import static dht.peer.async.StubNode.bytes;
import static dht.peer.async.StubNode.readHead;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.http.OwnedBytes;
import dht.peer.CircuitBreaker.State;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.CircuitOpen;
import dht.peer.PeerAnswer.NoMemory;
import dht.peer.PeerAnswer.QueueFull;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerAnswer.Unreachable;
import dht.peer.PeerOptions;
import dht.peer.async.PeerExecutorKind;
import dht.peer.async.PeerTransport;
import dht.peer.async.StubHttpClient;
import dht.peer.async.StubNode;
import dht.peer.async.StubNode.Talk;
import dht.peer.async.TestPeers;
import dht.testkit.concurrent.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A thread that waits for the answers of a node which is slow, breaks connections, or does not
 * answer.
 */
class BlockingPeerTest {
    private static final int QUEUE_LENGTH = 4;
    private static final int FAILURES_MAX = 3;
    private static final int LARGE_BYTES = 3 << 20;
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalue";

    private static final String WITH_AN_INVALID_STAMP =
            "HTTP/1.1 200 OK\r\nTimestamp-Micros: soon\r\nContent-Length: 9\r\n\r\nvalue";

    /** Causes a bug: without a key, the request cannot be written. */
    private static final EntityRequest UNWRITABLE = new EntityRequest.Get(null, null);

    /** The answer that arrived, and the thread that delivered it. */
    private record Told(PeerAnswer answer, Thread thread, boolean isInterrupted) {}

    private final BlockingQueue<Told> told = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> heads = new LinkedBlockingQueue<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final MemoryBudget memory = new MemoryBudget(LARGE_BYTES);
    private PeerTransport transport;
    private StubNode node;
    private BlockingPeer peer;

    private void start(Talk talk) throws IOException {
        start(talk, LONG);
    }

    private void start(Talk talk, Duration timeout) throws IOException {
        start(talk, timeout, new PeerTransport(PeerExecutorKind.DIRECT, Duration.ofSeconds(5)));
    }

    private void start(Talk talk, Duration timeout, PeerTransport over) throws IOException {
        node = new StubNode(talk);
        PeerOptions options =
                new PeerOptions(
                        1,
                        QUEUE_LENGTH,
                        Duration.ofSeconds(5),
                        timeout,
                        FAILURES_MAX,
                        LONG,
                        Duration.ZERO);
        transport = over;
        peer =
                BlockingPeer.overJdkClient(
                        node.address(), TestPeers.CREDENTIALS, options, transport, memory);
    }

    private static Talk answering(String answer) {
        return (in, out, _) -> {
            while (true) {
                readHead(in);
                out.write(bytes(answer));
                out.flush();
            }
        };
    }

    /** A node that answers each request when the test allows it. */
    private Talk answeringWhen(Semaphore mayAnswer) {
        return (in, out, _) -> {
            while (true) {
                heads.add(readHead(in));
                mayAnswer.acquire();
                out.write(bytes(OK));
                out.flush();
            }
        };
    }

    @AfterEach
    void end() throws IOException {
        over.countDown();
        node.close();
        peer.close();
        transport.close();
    }

    private static EntityRequest get() {
        return new EntityRequest.Get(bytes("k"), null);
    }

    private void send(EntityRequest request) {
        peer.ask(
                request,
                7,
                answer -> {
                    Thread thread = Thread.currentThread();
                    told.add(new Told(answer, thread, thread.isInterrupted()));
                });
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(LONG.toSeconds(), TimeUnit.SECONDS);
        assertThat(next).as("nothing has come").isNotNull();
        return next;
    }

    private PeerAnswer nextAnswer() throws InterruptedException {
        return next(told).answer();
    }

    private PeerAnswer ask(EntityRequest request) throws InterruptedException {
        send(request);
        return nextAnswer();
    }

    private void assertAnswered(PeerAnswer answer) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        Answered.class,
                        each -> assertThat(each.body().toArray()).isEqualTo(bytes("value")));
    }

    private static void awaitEnd(InputStream in) throws IOException {
        while (in.read() >= 0) {
            continue;
        }
    }

    @Test
    void answer_always_isToldOnAThreadOfThePeer() throws Exception {
        start(answering(OK));
        send(get());
        Told answer = next(told);
        assertAnswered(answer.answer());
        assertThat(answer.thread().getName()).startsWith("peer-" + host());
        assertThat(peer.address()).isEqualTo(node.address());
        assertThat(peer.health().counts().answeredCount()).isEqualTo(1);
    }

    private String host() {
        return node.address().host() + ":" + node.address().port();
    }

    @Test
    void value_thatIsLarge_comesWholeAndItsMemoryIsBack() throws Exception {
        start(
                (in, out, _) -> {
                    String head = readHead(in);
                    assertThat(head).contains("timestamp=7");
                    byte[] value = in.readNBytes(LARGE_BYTES);
                    out.write(
                            bytes(
                                    "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
                                            .formatted(LARGE_BYTES)));
                    out.write(value);
                    out.flush();
                });
        byte[] value = new byte[LARGE_BYTES];
        value[LARGE_BYTES - 1] = 1;
        PeerAnswer answer =
                ask(new EntityRequest.Put(bytes("k"), OwnedBytes.takeOver(value), null));
        assertThat(answer)
                .isInstanceOfSatisfying(
                        Answered.class, each -> assertThat(each.body().toArray()).isEqualTo(value));
        assertThat(memory.tryTake(1)).isFalse();
        answer.release();
        assertThat(memory.tryTake(LARGE_BYTES)).isTrue();
    }

    @Test
    void node_thatBreaksConnections_isNotAskedAfterSomeFailures() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        start(
                (in, _, _) -> {
                    readHead(in);
                    asked.incrementAndGet();
                });
        for (int i = 0; i < FAILURES_MAX; i++) {
            assertThat(peer.health().breakerState()).isEqualTo(State.CLOSED);
            assertThat(ask(get())).isInstanceOf(Unreachable.class);
        }
        assertThat(peer.health().breakerState()).isEqualTo(State.OPEN);
        int askedBefore = asked.get();

        send(get());
        Told refused = next(told);

        assertThat(refused.answer()).isInstanceOf(CircuitOpen.class);
        assertThat(refused.thread()).as("at once").isEqualTo(Thread.currentThread());
        assertThat(asked).hasValue(askedBefore);
        assertThat(peer.health().counts().unreachableCount()).isEqualTo(FAILURES_MAX);
        assertThat(peer.health().counts().refusedCount()).isEqualTo(1);
    }

    /** Those that wait would otherwise fail one after the other, each after a timeout. */
    @Test
    void requests_thatWaitForANodeThatFails_failAtOnce() throws Exception {
        start(
                (in, out, _) -> {
                    heads.add(readHead(in));
                    over.await();
                    out.write(bytes("SSH-2.0-OpenSSH_9.2\r\n\r\n"));
                });
        send(get());
        next(heads);
        send(get());
        assertThat(peer.queuedCount()).isEqualTo(1);
        for (int i = 0; i < FAILURES_MAX; i++) { // As other messages to the node have found out.
            peer.health().updateBreaker(new TimedOut(), System.nanoTime());
        }
        over.countDown();
        assertThat(nextAnswer()).isInstanceOf(Unreachable.class);
        assertThat(nextAnswer()).isInstanceOf(CircuitOpen.class);
        assertThat(heads).isEmpty();
    }

    @Test
    void node_thatSaysNothing_isSilent() throws Exception {
        start((in, _, _) -> awaitEnd(in), SHORT);
        assertThat(ask(get())).isEqualTo(new TimedOut());
        assertThat(peer.health().counts().silentCount()).isEqualTo(1);
    }

    /** The client's own timeout would end with the head of the answer. */
    @Test
    void node_thatStopsWithinItsAnswer_isSilentAndItsMemoryIsBack() throws Exception {
        start(
                (in, out, _) -> {
                    readHead(in);
                    out.write(bytes("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nvalue"));
                    out.flush();
                    awaitEnd(in);
                },
                SHORT);
        assertThat(ask(get())).isEqualTo(new TimedOut());
        Deadline.in(LONG).await("its memory is back", () -> memory.tryTake(LARGE_BYTES));
    }

    /** As if there were no memory for what the client does after the body. */
    private static final class FailingAfterTheBody extends StubHttpClient {
        private final Throwable failure;

        FailingAfterTheBody(Throwable failure) {
            this.failure = failure;
        }

        @Override
        public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
                throws IOException, InterruptedException {
            HttpResponse.BodySubscriber<T> body = handler.apply(new LargeValue());
            body.onSubscribe(
                    new Flow.Subscription() {
                        @Override
                        public void request(long count) {}

                        @Override
                        public void cancel() {}
                    });
            body.onNext(List.of(ByteBuffer.allocate(LARGE_BYTES)));
            body.onComplete();
            switch (failure) {
                case IOException e -> throw e;
                case InterruptedException e -> throw e;
                case Error e -> throw e;
                default -> throw new AssertionError(failure);
            }
        }
    }

    private record LargeValue() implements HttpResponse.ResponseInfo {
        @Override
        public int statusCode() {
            return 200;
        }

        @Override
        public HttpHeaders headers() {
            return HttpHeaders.of(
                    Map.of("Content-Length", List.of("" + LARGE_BYTES)), (_, _) -> true);
        }

        @Override
        public HttpClient.Version version() {
            return HttpClient.Version.HTTP_1_1;
        }
    }

    static Stream<Arguments> failures() {
        Throwable noMemory = new OutOfMemoryError("a failure of the test");
        return Stream.of(
                arguments(noMemory, NoMemory.class),
                arguments(new IOException(noMemory), NoMemory.class), // As the JDK's client does.
                arguments(new IOException("a failure of the test"), Unreachable.class),
                arguments(new InterruptedException(), Unreachable.class));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void client_thatFailsAfterTheWholeBody_givesItsMemoryBack(
            Throwable failure, Class<? extends PeerAnswer> expected) throws Exception {
        start(answering(OK), LONG, TestPeers.transport(new FailingAfterTheBody(failure)));
        assertThat(ask(get())).isInstanceOf(expected);
        assertThat(memory.takenBytes()).isZero();
    }

    @Test
    void answer_whoseBodyIsRefused_endsItsConnection() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        start(
                (in, out, _) -> {
                    readHead(in);
                    out.write(bytes(WITH_AN_INVALID_STAMP));
                    out.flush();
                    try {
                        in.readAllBytes();
                    } finally {
                        closed.countDown();
                    }
                });
        assertThat(ask(get())).isInstanceOf(Unreachable.class);
        assertThat(closed.await(20, TimeUnit.SECONDS)).as("its connection is closed").isTrue();
    }

    @Test
    void requests_beyondTheQueue_areRefused() throws Exception {
        Semaphore mayAnswer = new Semaphore(0);
        start(answeringWhen(mayAnswer));
        send(get());
        next(heads);
        for (int i = 0; i < QUEUE_LENGTH; i++) {
            send(get());
        }
        assertThat(told).isEmpty();
        assertThat(ask(get())).isEqualTo(new QueueFull());
        assertThat(peer.health().counts().busyCount()).isEqualTo(1);

        mayAnswer.release(1 + QUEUE_LENGTH);

        for (int i = 0; i < 1 + QUEUE_LENGTH; i++) {
            assertAnswered(nextAnswer());
        }
    }

    @Test
    void node_thatHalfTheQueueWaitsFor_isBehindUnlessItFails() throws Exception {
        start(answeringWhen(new Semaphore(0)));
        send(get());
        next(heads);
        for (int i = 1; i < QUEUE_LENGTH / 2; i++) {
            send(get());
        }
        assertThat(peer.isBehind()).isFalse();
        send(get());
        assertThat(peer.isBehind()).isTrue();
        peer.health().updateBreaker(new TimedOut(), System.nanoTime());
        assertThat(peer.isBehind()).as("it is not slow, but silent").isFalse();
    }

    @Test
    void request_thatCannotBeSent_isToldAndTheNextOneIsSent() throws Exception {
        start(answering(OK));
        assertThat(ask(UNWRITABLE)).isInstanceOf(Unreachable.class);
        assertAnswered(ask(get()));
    }

    @Test
    void thread_thatIsInterrupted_tellsAndStaysInterrupted() throws Exception {
        Semaphore mayAnswer = new Semaphore(1);
        start(answeringWhen(mayAnswer));
        send(get());
        Told first = next(told);
        assertThat(first.isInterrupted()).isFalse();
        next(heads);
        send(get());
        next(heads);

        first.thread().interrupt();

        Told second = next(told);
        assertThat(second.answer()).isEqualTo(new Unreachable("interrupted"));
        assertThat(second.isInterrupted()).isTrue();
    }

    @Test
    void client_thatHasEndedByItself_isReplaced() throws Exception {
        start(answering(OK));
        HttpClient ended = transport.client();
        ended.shutdownNow();
        assertThat(ended.awaitTermination(LONG)).isTrue();
        assertThat(ask(get())).isInstanceOf(Unreachable.class);
        assertAnswered(ask(get()));
        assertThat(transport.client()).isNotSameAs(ended);
    }

    @Test
    void close_withRequestsWaiting_refusesThemAndLeavesNoThread() throws Exception {
        Semaphore mayAnswer = new Semaphore(1);
        start(answeringWhen(mayAnswer));
        send(get());
        Thread thread = next(told).thread();
        next(heads);
        send(get());
        next(heads);
        send(get());

        peer.close();

        assertThat(nextAnswer()).isEqualTo(new QueueFull());
        mayAnswer.release();
        assertAnswered(nextAnswer());
        assertThat(thread.join(LONG)).as("it ends").isTrue();
    }
}
