package dht.peer.async;

import static dht.peer.async.StubNode.bytes;
import static dht.peer.async.StubNode.readHead;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.http.OwnedBytes;
import dht.peer.CircuitBreaker;
import dht.peer.Credentials;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.CircuitOpen;
import dht.peer.PeerAnswer.NoMemory;
import dht.peer.PeerAnswer.OwnFailure;
import dht.peer.PeerAnswer.QueueFull;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerAnswer.TooLarge;
import dht.peer.PeerAnswer.Unreachable;
import dht.peer.PeerCall;
import dht.peer.PeerOptions;
import dht.peer.TimeoutQueue;
import dht.peer.async.StubNode.Talk;
import dht.peer.batch.Batch;
import dht.peer.batch.BatchSender;
import dht.peer.inline.InlineValues;
import dht.storage.Dao;
import dht.testkit.concurrent.Deadline;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Asynchronous requests to a node that is down, does not answer, is slow, or sends invalid answers.
 */
class AsyncPeerTest {
    private static final Credentials CREDENTIALS =
            new Credentials(
                    new NodeAddress("self", 1),
                    new Fingerprint("0123456789abcdef"),
                    Optional.of("secret"));
    private static final int FAILURES_MAX = 3;
    private static final int LARGE_BYTES = 3 << 20;
    private static final int BATCH_MAX = 64;

    /** Causes a bug: without a key, the request cannot be written. */
    private static final EntityRequest UNWRITABLE = new EntityRequest.Get(null, null);

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Pattern INLINE_VALUE =
            Pattern.compile("/inline\\?.*&value=([\\w-]*) HTTP");
    private static final Pattern LENGTH = Pattern.compile("Content-Length: (\\d+)\r\n");
    private static final String CREATED_AND_CLOSED =
            "HTTP/1.1 201 Created\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalue";

    /** The answer that arrived, and the thread that delivered it. */
    private record Told(PeerAnswer answer, Thread thread) {}

    private final ConcurrentLinkedQueue<String> heads = new ConcurrentLinkedQueue<>();
    private final BlockingQueue<Told> told = new LinkedBlockingQueue<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final MemoryBudget memory = new MemoryBudget(LARGE_BYTES);
    private PeerTransport transport;
    private StubNode node;
    private AsyncPeer peer;

    private void start(Talk talk) throws IOException {
        start(talk, LONG, 10);
    }

    private void start(Talk talk, Duration timeout, int inFlightMax) throws IOException {
        node = new StubNode(talk);
        open(node.address(), timeout, inFlightMax, PeerExecutorKind.DIRECT);
    }

    private void open(
            NodeAddress address, Duration timeout, int inFlightMax, PeerExecutorKind executor) {
        open(address, options(timeout), inFlightMax, executor);
    }

    private void open(
            NodeAddress address, PeerOptions options, int inFlightMax, PeerExecutorKind executor) {
        transport = new PeerTransport(executor, options.connectTimeout());
        TimeoutQueue endlessPatience =
                new TimeoutQueue(() -> {}, LONG.toNanos(), LONG.toNanos(), () -> 0);
        var client = new AsyncClient(address, CREDENTIALS, options, transport, memory);
        var sender = new BatchSender(BATCH_MAX, client, endlessPatience);
        peer = new AsyncPeer(client, sender, inFlightMax, options.drainTimeout());
    }

    private static PeerOptions options(Duration timeout) {
        return options(timeout, Duration.ZERO);
    }

    private static PeerOptions options(Duration timeout, Duration drainTimeout) {
        return new PeerOptions(
                1, 1, Duration.ofSeconds(5), timeout, FAILURES_MAX, LONG, drainTimeout);
    }

    private Talk answering(String answer) {
        return (in, out, _) -> {
            while (true) {
                heads.add(readHead(in));
                out.write(bytes(answer));
                out.flush();
            }
        };
    }

    @AfterEach
    void end() throws IOException {
        over.countDown();
        if (node != null) {
            node.close();
        }
        if (peer != null) {
            peer.close();
            transport.close();
        }
    }

    private static EntityRequest get(String key) {
        return new EntityRequest.Get(key.getBytes(UTF_8), null);
    }

    /** Short values are sent in the request line. */
    private static byte[] valueOf(String head, InputStream in) throws IOException {
        Matcher inline = INLINE_VALUE.matcher(head);
        if (inline.find()) {
            assertThat(head).contains("Content-Length: 0\r\n");
            return Base64.getUrlDecoder().decode(inline.group(1));
        }
        Matcher length = LENGTH.matcher(head);
        return in.readNBytes(length.find() ? Integer.parseInt(length.group(1)) : 0);
    }

    private static EntityRequest put(byte[] value) {
        return new EntityRequest.Put(bytes("k"), OwnedBytes.takeOver(value), null);
    }

    private void send(EntityRequest request) {
        peer.ask(request, 7, answer -> told.add(new Told(answer, Thread.currentThread())));
    }

    private Told next() {
        try {
            Told next = told.poll(20, TimeUnit.SECONDS);
            assertThat(next).as("nothing was told").isNotNull();
            return next;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private PeerAnswer ask(EntityRequest request) {
        send(request);
        return next().answer();
    }

    private static byte[] body(PeerAnswer answer) {
        assertThat(answer).isInstanceOf(Answered.class);
        return ((Answered) answer).body().toArray();
    }

    private void assertAllMemoryIsBack() {
        assertThat(memory.tryTake(LARGE_BYTES)).isTrue();
        memory.giveBack(LARGE_BYTES);
    }

    @Test
    void ask_again_usesTheSameConnection() throws IOException {
        start(answering(OK));
        for (int i = 0; i < 10; i++) {
            assertThat(body(ask(get("k")))).isEqualTo(bytes("value"));
        }
        assertThat(peer.address()).isEqualTo(node.address());
        // The client takes a connection back a moment after the answer is told.
        assertThat(node.connectionCount()).isBetween(1, 3);
        assertThat(peer.inFlightCount()).isZero();
    }

    @Test
    void ask_forAnyKey_sendsItEncodedWithCredentials() throws IOException {
        start(answering(OK));
        ask(get("a b+%/ключ"));
        assertThat(heads.poll())
                .startsWith(
                        "GET /internal/v0/entity?id=a%20b%2B%25%2F%D0%BA%D0%BB%D1%8E%D1%87&timestamp=7 HTTP/1.1\r\n")
                .contains(
                        "Cluster-Topology: 0123456789abcdef http://self:1 "
                                + node.address()
                                + "\r\n")
                .contains("Cluster-Secret: secret\r\n")
                .doesNotContainIgnoringCase("upgrade");
    }

    @Test
    void answer_withStamp_isToldWithIt() throws IOException {
        start(
                answering(
                        "HTTP/1.1 404 Not Found\r\nTimestamp-Micros: 12\r\nContent-Length: 0\r\n\r\n"));
        Answered answered = (Answered) ask(get("k"));
        assertThat(answered.status()).isEqualTo(404);
        assertThat(answered.timestampMicros()).isEqualTo(12);
        assertThat(answered.body().byteSize()).isZero();
    }

    @Test
    void answer_always_isToldOnTheThreadThatWasNamed() throws IOException {
        start(answering(OK));
        send(get("k"));
        // The caller's, if it is still sending when the answer comes.
        assertThat(next().thread().getName())
                .matches("HttpClient-.*-SelectorManager|" + Thread.currentThread().getName());
    }

    @Test
    void answer_withAPool_isToldOnOneOfItsThreads() throws IOException {
        node = new StubNode(answering(OK));
        open(node.address(), LONG, 10, PeerExecutorKind.POOL);
        send(get("k"));
        assertThat(next().thread().getName()).startsWith("peer-answer-");
    }

    @Test
    void close_withAPool_leavesNoneOfItsThreads() throws Exception {
        node = new StubNode(answering(OK));
        open(node.address(), LONG, 10, PeerExecutorKind.POOL);
        send(get("k"));
        Thread answering = next().thread();
        assertThat(answering.isAlive()).isTrue();
        peer.close();
        transport.close();
        assertThat(answering.join(Duration.ofSeconds(20))).as("it ends").isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, 65_536, 65_537, LARGE_BYTES})
    void value_ofAnySize_goesThereAndComesBack(int size) throws IOException {
        byte[] value = new byte[size];
        new Random(size).nextBytes(value);
        start(
                (in, out, _) -> {
                    while (true) {
                        String head = readHead(in);
                        byte[] received = valueOf(head, in);
                        out.write(bytes("HTTP/1.1 200 OK\r\nContent-Length: " + size + "\r\n\r\n"));
                        out.write(received);
                        out.flush();
                    }
                });
        PeerAnswer answer = ask(put(value));
        assertThat(Arrays.equals(body(answer), value)).isTrue();
        ((Answered) answer).hold().release();
        assertAllMemoryIsBack();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, InlineValues.BYTES_MAX, InlineValues.BYTES_MAX + 1})
    void value_thatIsShort_isInTheRequestLine(int size) throws IOException {
        start(answering(OK));
        ask(put(new byte[size]));
        boolean isInline = size <= InlineValues.BYTES_MAX;
        assertThat(INLINE_VALUE.matcher(heads.poll()).find()).isEqualTo(isInline);
    }

    @ParameterizedTest
    @CsvSource({"568, 1024, true", "569, 1024, false", "572, 1017, true", "573, 1017, false"})
    void value_withALongKey_isInTheRequestLineIfThatStaysShort(
            int keyLength, int valueLength, boolean isInline) throws IOException {
        start(answering(OK));
        byte[] key = bytes("k".repeat(keyLength));
        ask(new EntityRequest.Put(key, OwnedBytes.takeOver(new byte[valueLength]), null));
        assertThat(INLINE_VALUE.matcher(heads.poll()).find()).isEqualTo(isInline);
    }

    @Test
    void answer_forWhichThereIsNoMemory_isTooLarge() throws IOException {
        start(answering("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE_BYTES + "\r\n\r\n"));
        assertThat(memory.tryTake(1)).isTrue();
        assertThat(ask(get("k"))).isEqualTo(new TooLarge());
        memory.giveBack(1);
        assertAllMemoryIsBack();
        assertThat(peer.health().counts().answeredCount()).isEqualTo(1);
    }

    @Test
    void answer_thatBreaksOff_isNoneAndItsMemoryIsBack() throws IOException {
        start(
                (in, out, _) -> {
                    readHead(in);
                    out.write(bytes("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nvalue"));
                    out.flush();
                });
        assertThat(ask(get("k"))).isInstanceOf(Unreachable.class);
        assertAllMemoryIsBack();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH_9.2\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 17000000\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTimestamp-Micros: soon\r\nContent-Length: 0\r\n\r\n",
            })
    void answer_thatIsNone_isUnreachable(String answer) throws IOException {
        start(answering(answer));
        assertThat(ask(get("k"))).isInstanceOf(Unreachable.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 17000000\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTimestamp-Micros: soon\r\nContent-Length: 9\r\n\r\nvalue",
            })
    void answer_whoseBodyIsRefused_endsItsConnection(String answer) throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        start(
                (in, out, _) -> {
                    readHead(in);
                    out.write(bytes(answer));
                    out.flush();
                    try {
                        awaitEnd(in);
                    } finally {
                        closed.countDown();
                    }
                });
        assertThat(ask(get("k"))).isInstanceOf(Unreachable.class);
        assertThat(closed.await(20, TimeUnit.SECONDS)).as("its connection is closed").isTrue();
    }

    @Test
    void node_thatIsDead_isUnreachableAndThenNotAsked() throws IOException {
        // A port that is bound belongs to nobody else, and refuses connections.
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress("127.0.0.1", 0));
            open(
                    new NodeAddress("127.0.0.1", bound.getLocalPort()),
                    LONG,
                    10,
                    PeerExecutorKind.DIRECT);
            for (int i = 0; i < 3; i++) {
                send(get("k"));
                Told failure = next();
                assertThat(failure.answer()).isInstanceOf(Unreachable.class);
                assertThat(failure.thread().getName()).startsWith("peer-failure");
            }
        }
        assertThat(ask(get("k"))).isInstanceOf(CircuitOpen.class);
        assertThat(peer.health().breakerState()).isEqualTo(CircuitBreaker.State.OPEN);
    }

    @Test
    void node_thatSaysNothing_isSilentAndItsConnectionClosed() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        start(
                (in, _, _) -> {
                    readHead(in);
                    try {
                        awaitEnd(in);
                    } finally {
                        closed.countDown();
                    }
                },
                Duration.ofSeconds(1),
                10);
        assertThat(ask(get("k"))).isEqualTo(new TimedOut());
        assertThat(closed.await(20, TimeUnit.SECONDS)).as("its connection is closed").isTrue();
        assertThat(told).isEmpty();
        assertThat(peer.inFlightCount()).isZero();
    }

    /** The request ends before the busy timeout thread has given it up. */
    @Test
    void answer_thatComesTooLate_isDroppedAndItsMemoryIsBack() throws IOException {
        CountDownLatch late = new CountDownLatch(1);
        start(
                (in, out, _) -> {
                    readHead(in);
                    out.write(
                            bytes(
                                    "HTTP/1.1 200 OK\r\nContent-Length: "
                                            + LARGE_BYTES
                                            + "\r\n\r\n"));
                    out.flush();
                    late.await();
                    out.write(new byte[LARGE_BYTES]);
                    out.flush();
                    awaitEnd(in);
                },
                Duration.ofSeconds(2),
                10);
        peer.ask(
                get("k"),
                0,
                answer -> {
                    told.add(new Told(answer, Thread.currentThread()));
                    awaitOver();
                });
        assertThat(next().answer()).isEqualTo(new TimedOut());
        awaitNoMemory();
        late.countDown();
        awaitMemory(LARGE_BYTES);
        assertThat(told).isEmpty();
        assertThat(peer.inFlightCount()).isZero();
    }

    private void awaitOver() {
        await(over);
    }

    private void awaitNoMemory() {
        Deadline.in(LONG)
                .await(
                        "its memory is taken",
                        () -> {
                            boolean isLeft = memory.tryTake(1);
                            memory.giveBack(isLeft ? 1 : 0);
                            return !isLeft;
                        });
    }

    /** The client's own timeout would end with the head of the answer. */
    @Test
    void node_thatStopsWithinItsAnswer_isSilentAndItsMemoryIsBack() throws IOException {
        start(
                (in, out, _) -> {
                    readHead(in);
                    out.write(bytes("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nvalue"));
                    out.flush();
                    awaitEnd(in);
                },
                Duration.ofMillis(200),
                10);
        assertThat(ask(get("k"))).isEqualTo(new TimedOut());
        awaitMemory(LARGE_BYTES);
    }

    private void awaitMemory(long bytes) {
        Deadline.in(LONG).await("its memory is back", () -> memory.tryTake(bytes));
    }

    /** A write of this many bytes has seventeen times the timeout of a read. */
    @Test
    void node_thatIsSilentToALargeValue_isSilentToOthersSooner() throws IOException {
        start(
                (in, _, _) -> {
                    valueOf(readHead(in), in);
                    awaitEnd(in);
                },
                Duration.ofMillis(500),
                10);
        peer.ask(put(new byte[Dao.MAX_VALUE_BYTES]), 7, _ -> {});
        assertThat(ask(get("k"))).isEqualTo(new TimedOut());
        assertThat(peer.inFlightCount()).as("the write has more time").isEqualTo(1);
    }

    private static void awaitEnd(InputStream in) throws IOException {
        while (in.read() >= 0) {
            continue;
        }
    }

    @Test
    void requests_beyondTheBound_areRefusedAtOnce() throws IOException {
        start(
                (in, _, _) -> {
                    readHead(in);
                    over.await();
                },
                LONG,
                2);
        send(get("k"));
        send(get("k"));
        send(get("k"));
        assertThat(next().answer()).isEqualTo(new QueueFull());
        assertThat(peer.inFlightCount()).isEqualTo(2);
        assertThat(peer.health().counts().busyCount()).isEqualTo(1);
    }

    @Test
    void node_thatAnswersWhileManyRequestsWait_isBehind() throws Exception {
        int bytes = InlineValues.BYTES_MAX + 1; // So that each has a connection of its own.
        AtomicInteger connections = new AtomicInteger();
        start(
                (in, out, _) -> {
                    boolean isSilent = connections.incrementAndGet() <= 2;
                    heads.add(readHead(in));
                    in.readNBytes(bytes);
                    if (isSilent) {
                        over.await();
                    }
                    out.write(bytes(CREATED_AND_CLOSED));
                    out.flush();
                },
                LONG,
                4);
        send(put(new byte[bytes]));
        send(put(new byte[bytes]));
        Deadline.in(LONG).await("two requests that wait", () -> heads.size() == 2);
        assertThat(peer.isBehind()).as("while it says nothing").isFalse();
        Deadline.in(LONG)
                .await(
                        "it is behind once it has answered",
                        () -> {
                            send(put(new byte[bytes]));
                            assertThat(next().answer()).isInstanceOf(Answered.class);
                            return peer.isBehind();
                        });
        Deadline.in(LONG).await("it is not when it has been silent", () -> !peer.isBehind());
        assertThat(peer.inFlightCount()).isEqualTo(2);
    }

    /**
     * A node that is busy with a question, {@code first}, until {@code over}, and then answers with
     * what it is told: single questions with OK, a batch with the given status and body.
     */
    private void startBusy(int status, byte[] batchAnswer) throws IOException {
        start(
                (in, out, _) -> {
                    while (true) {
                        String head = readHead(in);
                        heads.add(head);
                        if (head.contains(Batch.PATH)) {
                            Matcher length = LENGTH.matcher(head);
                            assertThat(length.find()).isTrue();
                            in.readNBytes(Integer.parseInt(length.group(1)));
                            out.write(
                                    bytes(
                                            "HTTP/1.1 %d x\r\nContent-Length: %d\r\n\r\n"
                                                    .formatted(status, batchAnswer.length)));
                            out.write(batchAnswer);
                        } else {
                            over.await();
                            out.write(bytes(OK));
                        }
                        out.flush();
                    }
                });
        send(get("first"));
    }

    private void endFirst() {
        over.countDown();
        assertThat(body(next().answer())).isEqualTo(bytes("value"));
    }

    @Test
    void questions_forABusyNode_shareAMessage() throws IOException {
        Batch.Answers answers = new Batch.Answers(3);
        answers.add(201, 0, MemorySegment.ofArray(new byte[0]));
        answers.add(404, 9, MemorySegment.ofArray(new byte[0]));
        answers.alone();
        startBusy(200, answers.toBytes());
        send(put(new byte[InlineValues.BYTES_MAX]));
        send(get("gone"));
        send(get("large"));
        assertThat(peer.queuedCount()).isEqualTo(3);
        endFirst();
        assertThat(next().answer()).hasFieldOrPropertyWithValue("status", 201);
        assertThat(next().answer()).hasFieldOrPropertyWithValue("timestampMicros", 9L);
        assertThat(body(next().answer())).isEqualTo(bytes("value")); // Asked once more, alone.
        assertThat(heads.stream().filter(head -> head.contains(Batch.PATH)))
                .singleElement()
                .asString()
                .startsWith("PUT " + Batch.PATH + " HTTP/1.1\r\n");
        assertThat(heads.stream().filter(head -> head.contains("id=large"))).hasSize(1);
        assertThat(peer.messageCount()).isEqualTo(3);
        assertThat(peer.inFlightCount()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"200, garbage", "200, ''", "404, 'no such path'", "503, 'too much to do'"})
    void batch_thatIsNotAnswered_failsForEach(int status, String body) throws IOException {
        startBusy(status, bytes(body));
        for (int i = 0; i < FAILURES_MAX; i++) {
            send(get("k" + i));
        }
        endFirst();
        for (int i = 0; i < FAILURES_MAX; i++) {
            PeerAnswer answer = next().answer();
            if (status == 503) {
                assertThat(body(answer)).isEqualTo(bytes(body));
            } else {
                assertThat(answer).isInstanceOf(Unreachable.class);
            }
        }
        assertThat(peer.inFlightCount()).isZero();
        assertThat(peer.health().isFailing()).isEqualTo(status != 503);
        assertThat(peer.health().breakerState())
                .as("after one message that failed")
                .isEqualTo(CircuitBreaker.State.CLOSED);
    }

    /**
     * Such a node answers with more than it was allowed to: its memory is taken, and given back.
     */
    @ParameterizedTest
    @ValueSource(ints = {200, 503})
    void batch_whoseAnswerIsLarge_givesItsMemoryBackOnce(int status) throws IOException {
        Batch.Answers answers = new Batch.Answers(2);
        answers.add(404, 0, MemorySegment.ofArray(new byte[0]));
        answers.add(201, 0, MemorySegment.ofArray(new byte[AnswerBody.SMALL_BYTES_MAX]));
        startBusy(status, answers.toBytes());
        assertThat(memory.tryTake(LARGE_BYTES / 2)).isTrue();
        send(get("a"));
        send(put(bytes("b")));
        endFirst();
        for (int i = 0; i < 2; i++) {
            ((Answered) next().answer()).hold().release();
        }
        awaitMemory(LARGE_BYTES - LARGE_BYTES / 2);
        assertThat(memory.tryTake(1)).as("no more is there than was").isFalse();
    }

    @Test
    void question_thatCannotBeSent_isToldAndForgotten() throws IOException {
        start(answering(OK));
        peer.ask(UNWRITABLE, 0, answer -> told.add(new Told(answer, Thread.currentThread())));
        assertThat(next().answer()).isInstanceOf(Unreachable.class);
        assertThat(peer.inFlightCount()).isZero();
        assertThat(peer.health().counts().unreachableCount()).isEqualTo(1);
        assertThat(body(ask(get("k")))).isEqualTo(bytes("value"));
    }

    @Test
    void questions_thatCannotBeSentTogether_areToldAndForgotten() throws IOException {
        startBusy(200, new byte[0]);
        for (EntityRequest request : List.of(get("k"), UNWRITABLE)) {
            peer.ask(request, 0, answer -> told.add(new Told(answer, Thread.currentThread())));
        }
        over.countDown();
        assertThat(List.of(next().answer(), next().answer(), next().answer()))
                .hasOnlyElementsOfTypes(Unreachable.class, Answered.class)
                .hasAtLeastOneElementOfType(Answered.class);
        assertThat(peer.health().counts().unreachableCount()).isEqualTo(2);
        assertThat(peer.inFlightCount()).isZero();
        assertThat(body(ask(get("k")))).isEqualTo(bytes("value"));
    }

    @Test
    void request_thatTheSenderDoesNotTake_isToldAndForgotten() throws IOException {
        start(answering(OK));
        var client = new AsyncClient(node.address(), CREDENTIALS, options(LONG), transport, memory);
        AsyncPeer poor =
                new AsyncPeer(
                        client,
                        new CallSender() {
                            @Override
                            public void send(PeerCall call) {
                                throw new OutOfMemoryError("as the test wants it");
                            }
                        },
                        1,
                        Duration.ZERO);
        for (int i = 0; i < 2; i++) {
            poor.ask(get("k"), 0, answer -> told.add(new Told(answer, Thread.currentThread())));
            assertThat(next().answer()).isEqualTo(new NoMemory());
            assertThat(poor.inFlightCount()).isZero();
        }
    }

    /** There is memory for it, so the reason must not be that there is none. */
    @Test
    void request_thatCausesABugInTheSender_isToldAndForgotten() throws IOException {
        start(answering(OK));
        var valueless = new EntityRequest.Put(bytes("k"), null, null);
        peer.ask(valueless, 0, answer -> told.add(new Told(answer, Thread.currentThread())));
        assertThat(next().answer()).isEqualTo(new OwnFailure());
        assertThat(peer.inFlightCount()).isZero();
    }

    @Test
    void messages_areCountedForEachNode() throws IOException {
        start(answering(OK));
        PrometheusRegistry registry = new PrometheusRegistry();
        AsyncPeerMetrics.watch(List.of(peer), registry);
        ask(get("a"));
        ask(get("b"));
        assertThat(registry.scrape("peer_messages"::equals).stream())
                .singleElement()
                .extracting(each -> each.getDataPoints().getFirst())
                .isInstanceOfSatisfying(
                        CounterDataPointSnapshot.class,
                        each -> {
                            assertThat(each.getValue()).isEqualTo(2);
                            assertThat(each.getLabels().get("peer"))
                                    .isEqualTo(node.address().url());
                        });
    }

    /** Also for a receiver that has its answer and does something with it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void close_withARequestThatMayEnd_waitsForIt(boolean isReceiving) throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        node =
                new StubNode(
                        (in, out, _) -> {
                            heads.add(readHead(in));
                            if (!isReceiving) {
                                mayEnd.await();
                            }
                            out.write(bytes(OK));
                            out.flush();
                            over.await();
                        });
        PeerOptions options = options(LONG, LONG.multipliedBy(2));
        open(node.address(), options, 10, PeerExecutorKind.DIRECT);
        CountDownLatch ended = new CountDownLatch(1);
        // The thread that asks may be the one that is told.
        Thread.ofPlatform()
                .start(
                        () ->
                                peer.ask(
                                        get("k"),
                                        0,
                                        answer -> {
                                            told.add(new Told(answer, Thread.currentThread()));
                                            await(mayEnd);
                                            ended.countDown();
                                        }));
        Deadline.in(LONG).await("the node is asked", () -> !heads.isEmpty());
        if (isReceiving) {
            next();
        }
        Thread closing = Thread.ofPlatform().start(() -> peer.close());
        Deadline.in(LONG).await("it waits", () -> closing.getState() == Thread.State.TIMED_WAITING);
        mayEnd.countDown();
        assertThat(closing.join(LONG)).as("it has waited long enough").isTrue();
        assertThat(ended.getCount()).isZero();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void value_thatIsLong_doesNotGather() throws IOException {
        startBusy(200, new byte[0]);
        send(put(new byte[InlineValues.BYTES_MAX + 1]));
        assertThat(peer.queuedCount()).isZero();
        endFirst();
        assertThat(body(next().answer())).isEqualTo(bytes("value"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connection_closedByTheNodeMeanwhile_isMadeAnew(boolean isWrite) throws IOException {
        start(
                (in, out, connection) -> {
                    do {
                        String head = readHead(in);
                        assertThat(valueOf(head, in)).hasSize(isWrite ? 3 : 0);
                        out.write(bytes(OK));
                        out.flush();
                    } while (connection > 1);
                });
        EntityRequest request = isWrite ? put(bytes("abc")) : get("k");
        assertThat(body(ask(request))).isEqualTo(bytes("value"));
        assertThat(body(ask(request))).isEqualTo(bytes("value"));
    }

    @Test
    void node_whoseNameNobodyKnows_isUnreachable() {
        NodeAddress nobody = new NodeAddress("nobody.invalid", 80);
        open(nobody, LONG, 10, PeerExecutorKind.DIRECT);
        assertThat(ask(get("k")))
                .isEqualTo(new Unreachable("no address is known for nobody.invalid"));
    }

    /** If it got a name, the client would look it up on a thread that must not wait. */
    @Test
    void request_toANodeByName_saysItsNumber() {
        NodeAddress byName = new NodeAddress("localhost", 80);
        PeerRequestFactory requests = new PeerRequestFactory(byName, CREDENTIALS, options(LONG));
        Deadline.in(LONG)
                .await(
                        "a request to a number",
                        () -> writtenNow(requests).matches("http://[0-9.:\\[\\]]+:80/internal/.*"));
    }

    private static String writtenNow(PeerRequestFactory requests) {
        try {
            return requests.request(get("k"), 0, false).uri().toString();
        } catch (UncheckedIOException e) {
            return e.getMessage();
        }
    }

    @Test
    void client_thatHasEndedByItself_isReplaced() throws Exception {
        start(answering(OK));
        HttpClient ended = transport.client();
        ended.shutdownNow();
        assertThat(ended.awaitTermination(LONG)).isTrue();
        send(get("a"));
        assertThat(next().answer()).isInstanceOf(Unreachable.class);
        send(get("b"));
        assertThat(next().answer()).isInstanceOf(Answered.class);
        assertThat(transport.client()).isNotSameAs(ended);
    }

    /** The message that is under way, and the questions that wait for it. */
    @RepeatedTest(10)
    void close_withRequestsInFlight_tellsAndLeavesNoThread() throws Exception {
        start(
                (in, _, _) -> {
                    heads.add(readHead(in));
                    over.await();
                });
        send(get("k"));
        send(get("a"));
        send(get("b"));
        assertThat(peer.queuedCount()).isEqualTo(2);
        peer.close();
        transport.close();
        for (int i = 0; i < 3; i++) {
            assertThat(next().answer()).isInstanceOf(Unreachable.class);
        }
        assertThat(peer.inFlightCount()).isZero();
        assertThat(transport.client().isTerminated()).isTrue();
        assertThat(transport.timeoutThread().hasEnded()).isTrue();
    }
}
