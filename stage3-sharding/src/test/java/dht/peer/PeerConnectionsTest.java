package dht.peer;

import static dht.peer.StubNode.bytes;
import static dht.peer.StubNode.readHead;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.http.OwnedBytes;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.QueueFull;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerAnswer.TooLarge;
import dht.peer.PeerAnswer.Unreachable;
import dht.peer.StubNode.Talk;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the connections to a node that is down, does not answer, is slow, or sends invalid answers.
 */
class PeerConnectionsTest {
    private static final Credentials CREDENTIALS =
            new Credentials(
                    new NodeAddress("self", 1),
                    new Fingerprint("0123456789abcdef"),
                    Optional.of("secret"));
    private static final int LARGE_BYTES = 1 << 20;
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalue";

    private final ConcurrentLinkedQueue<String> heads = new ConcurrentLinkedQueue<>();

    /** For requests that never time out, however busy the machine is. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** For requests that time out, but only after the node has them. */
    private static final Duration SHORT = Duration.ofSeconds(1);

    private final CountDownLatch over = new CountDownLatch(1);
    private final Semaphore arrivals = new Semaphore(0);
    private final Semaphore answers = new Semaphore(0);
    private final MemoryBudget memory = new MemoryBudget(LARGE_BYTES);
    private StubNode node;
    private PeerConnections client;

    private void start(Talk talk) throws IOException {
        start(talk, PATIENCE);
    }

    private void start(Talk talk, Duration timeout) throws IOException {
        node = new StubNode(talk);
        client = client(node.address(), timeout);
    }

    private PeerConnections client(NodeAddress address, Duration timeout) {
        return new PeerConnections(address, CREDENTIALS, options(timeout), memory);
    }

    private static PeerOptions options(Duration timeout) {
        return options(1, 1, timeout);
    }

    private static PeerOptions options(int connectionCount, int queueLengthMax, Duration timeout) {
        return new PeerOptions(
                connectionCount,
                queueLengthMax,
                Duration.ofSeconds(1),
                timeout,
                3,
                Duration.ofSeconds(1),
                timeout);
    }

    /** A call that reaches every node, and its answer. */
    private static final class KeptCall {
        private final CompletableFuture<PeerAnswer> kept = new CompletableFuture<>();
        private final PeerCall call;

        KeptCall(EntityRequest request, long timestampMicros) {
            PeerHealth well =
                    new PeerHealth(new NodeAddress("node", 1), options(Duration.ofSeconds(1)));
            call = new PeerCall(well, request, timestampMicros, this::keep);
        }

        private void keep(PeerAnswer answer) {
            assertThat(kept.complete(answer)).as("answered once").isTrue();
        }
    }

    private PeerAnswer ask(EntityRequest request) {
        return ask(request, 0);
    }

    private PeerAnswer ask(EntityRequest request, long timestampMicros) {
        KeptCall ask = new KeptCall(request, timestampMicros);
        client.ask(ask.call);
        return ask.kept.orTimeout(20, TimeUnit.SECONDS).join();
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
        if (client != null) {
            client.close();
        }
    }

    private static EntityRequest get(String key) {
        return new EntityRequest.Get(key.getBytes(UTF_8), null);
    }

    private static EntityRequest put(byte[] value) {
        return new EntityRequest.Put(bytes("k"), OwnedBytes.takeOver(value), null);
    }

    private static void assertAnswered(PeerAnswer answer, int status, String body) {
        assertThat(answer).isInstanceOf(Answered.class);
        Answered answered = (Answered) answer;
        assertThat(answered.status()).isEqualTo(status);
        assertThat(new String(answered.body().toArray(), UTF_8)).isEqualTo(body);
        answered.hold().release();
    }

    @Test
    void ask_again_usesTheSameConnection() throws IOException {
        start(answering(OK));
        for (int i = 0; i < 10; i++) {
            assertAnswered(ask(get("k")), 200, "value");
        }
        assertThat(node.connectionCount()).isEqualTo(1);
    }

    @Test
    void ask_forAnyKey_sendsItEncodedWithCredentials() throws IOException {
        start(answering(OK));
        ask(get("a b+%/ключ"));
        assertThat(heads.poll())
                .startsWith(
                        "GET /internal/v0/entity?id=a%20b%2B%25%2F%D0%BA%D0%BB%D1%8E%D1%87 HTTP/1.1\r\n")
                .contains("Host: 127.0.0.1:" + node.address().port() + "\r\n")
                .contains(
                        "Cluster-Topology: 0123456789abcdef http://self:1 "
                                + node.address()
                                + "\r\n")
                .contains("Cluster-Secret: secret\r\n");
    }

    @Test
    void ask_thatIsAnsweredByteByByte_isAnswered() throws IOException {
        start(
                (in, out, _) -> {
                    readHead(in);
                    for (byte b : bytes(OK)) {
                        out.write(b);
                        out.flush();
                    }
                    over.await();
                });
        assertAnswered(ask(get("k")), 200, "value");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_000, 65_536, 200_000, LARGE_BYTES})
    void put_ofAnySize_arrivesWholeAndComesBack(int size) throws IOException {
        byte[] value = new byte[size];
        new Random(size).nextBytes(value);
        start(
                (in, out, _) -> {
                    String head = readHead(in);
                    byte[] body = in.readNBytes(contentLength(head));
                    out.write(bytes("HTTP/1.1 200 OK\r\ncontent-length:" + size + "\r\n\r\n"));
                    out.write(body);
                    over.await();
                });
        client.close();
        client = client(node.address(), Duration.ofSeconds(10));

        Answered answered = (Answered) ask(put(value));

        assertThat(answered.body().toArray()).isEqualTo(value);
        answered.hold().release();
        assertThat(memory.tryTake(LARGE_BYTES)).as("memory is given back").isTrue();
    }

    private static int contentLength(String head) {
        return head.lines()
                .filter(line -> line.startsWith("Content-Length: "))
                .mapToInt(line -> Integer.parseInt(line.substring("Content-Length: ".length())))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void ask_whileAllMemoryIsTaken_isTooLarge() throws IOException {
        start(answering("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"));
        assertThat(memory.tryTake(LARGE_BYTES)).isTrue();
        assertThat(ask(get("k"))).isInstanceOf(TooLarge.class);
        assertThat(memory.tryTake(1)).as("nothing was given back that was not taken").isFalse();
    }

    @Test
    void ask_ofDeadNode_isUnreachable() throws IOException {
        // A port that is bound belongs to nobody else, and refuses connections.
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress("127.0.0.1", 0));
            client = client(new NodeAddress("127.0.0.1", bound.getLocalPort()), PATIENCE);
            assertThat(ask(get("k")))
                    .isInstanceOfSatisfying(
                            Unreachable.class,
                            unreachable -> assertThat(unreachable.cause()).contains("refused"));
        }
    }

    @Test
    void ask_ofSilentNode_isSilent() throws IOException {
        start((_, _, _) -> over.await(), SHORT);
        assertThat(ask(get("k"))).isInstanceOf(TimedOut.class);
    }

    @Test
    void ask_thatIsAnsweredByHalf_isSilent() throws IOException {
        start(
                (in, out, _) -> {
                    readHead(in);
                    out.write(bytes(OK.substring(0, OK.length() - 2)));
                    over.await();
                },
                SHORT);
        assertThat(ask(get("k"))).isInstanceOf(TimedOut.class);
    }

    @Test
    void ask_thatIsAnsweredForever_isSilentInTheEnd() throws IOException {
        start(
                (in, out, _) -> {
                    readHead(in);
                    out.write(bytes("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"));
                    while (over.getCount() > 0) {
                        out.write('x');
                        out.flush();
                        over.await(20, TimeUnit.MILLISECONDS);
                    }
                },
                SHORT);
        assertThat(ask(get("k"))).isInstanceOf(TimedOut.class);
    }

    @Test
    void ask_afterTheNodeClosed_asksAgainOnAnotherConnection() throws IOException {
        start(
                (in, out, _) -> {
                    readHead(in);
                    out.write(bytes(OK));
                });
        assertAnswered(ask(get("k")), 200, "value");
        assertAnswered(ask(get("k")), 200, "value");
        assertThat(node.connectionCount()).isEqualTo(2);
    }

    @Test
    void ask_whereTheNodeSaysClose_doesNotUseTheConnectionAgain() throws IOException {
        start(answering(OK.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")));
        assertAnswered(ask(get("k")), 200, "value");
        assertAnswered(ask(get("k")), 200, "value");
        assertThat(node.connectionCount()).isEqualTo(2);
    }

    /** A new connection may reach the right node. */
    @Test
    void ask_whereAnotherNodeAnswers_doesNotUseTheConnectionAgain() throws IOException {
        start(answering(OK.replace("200 OK", "421 Misdirected Request")));
        assertAnswered(ask(get("k")), 421, "value");
        assertAnswered(ask(get("k")), 421, "value");
        assertThat(node.connectionCount()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH\r\n\r\n",
                "HTTP/1.1 \r\n\r\n",
                "HTTP/1.1 abc\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n"
            })
    void ask_thatIsAnsweredByGarbage_isUnreachable(String garbage) throws IOException {
        start(answering(garbage));
        assertThat(ask(get("k"))).isInstanceOf(Unreachable.class);
    }

    @Test
    void ask_thatIsAnsweredByAnEndlessHead_isUnreachable() throws IOException {
        start(
                (in, out, _) -> {
                    readHead(in);
                    out.write(bytes("HTTP/1.1 200 OK\r\nx: " + "x".repeat(100_000)));
                    over.await();
                });
        assertThat(ask(get("k"))).isInstanceOf(Unreachable.class);
    }

    @Test
    void ask_afterAFailure_worksAgain() throws IOException {
        start(
                (in, out, connection) -> {
                    InputStream requests = in;
                    readHead(requests);
                    if (connection == 1) {
                        over.await();
                    }
                    out.write(bytes(OK));
                    over.await();
                },
                SHORT.multipliedBy(2));
        assertThat(ask(get("k"))).isInstanceOf(TimedOut.class);
        assertAnswered(ask(get("k")), 200, "value");
    }

    /** Reads a whole request. Closes the first connection without an answer. */
    private Talk closingOnce() {
        return (in, out, connection) -> {
            String head = readHead(in);
            heads.add(head);
            if (head.startsWith("PUT")) {
                in.readNBytes(contentLength(head));
            }
            if (connection > 1) {
                out.write(bytes(OK));
                over.await();
            }
        };
    }

    @Test
    void get_thatBreaksBeforeItsAnswer_isAskedAgain() throws IOException {
        start(closingOnce());
        assertAnswered(ask(get("k")), 200, "value");
        assertThat(heads).hasSize(2);
    }

    @Test
    void put_thatBreaksBeforeItsAnswer_isNotSentAgain() throws IOException {
        start(closingOnce(), PATIENCE);
        assertThat(ask(put(new byte[10]))).isInstanceOf(Unreachable.class);
        assertThat(heads).as("it may have been done, and others may have written since").hasSize(1);
    }

    @Test
    void put_withAStampThatBreaksBeforeItsAnswer_isSentAgain() throws IOException {
        start(closingOnce(), PATIENCE);
        assertAnswered(ask(put(new byte[10]), 7), 200, "value");
        assertThat(heads).hasSize(2).allSatisfy(head -> assertThat(head).contains("&timestamp=7"));
    }

    @Test
    void connection_thatTheNodeCloses_isNotUsedForAPut() throws Exception {
        start(
                (in, out, connection) -> {
                    heads.add(readHead(in));
                    out.write(bytes(OK));
                    if (connection > 1) {
                        over.await();
                    }
                });
        assertAnswered(ask(get("k")), 200, "value");
        awaitNoneOpen();
        assertAnswered(ask(put(new byte[0])), 200, "value");
        assertThat(heads).hasSize(2);
    }

    private void awaitNoneOpen() throws InterruptedException {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (client.openCount() > 0) {
            assertThat(System.nanoTime()).isLessThan(deadlineNanos);
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    @Test
    void put_ofALongValueOverAnIdleConnection_arrivesWhole() throws IOException {
        byte[] value = new byte[LARGE_BYTES];
        new Random(1).nextBytes(value);
        start(
                (in, out, _) -> {
                    while (true) {
                        String head = readHead(in);
                        boolean isPut = head.startsWith("PUT");
                        byte[] body = isPut ? in.readNBytes(contentLength(head)) : new byte[0];
                        boolean isSame = !isPut || Arrays.equals(body, value);
                        out.write(bytes(isSame ? OK : OK.replace("200", "500")));
                    }
                });
        for (int i = 0; i < 5; i++) {
            assertAnswered(ask(get("k")), 200, "value");
            assertAnswered(ask(put(value)), 200, "value");
        }
        assertThat(node.connectionCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void put_thatIsAnsweredUnread_isAnswered(boolean isOverIdle) throws IOException {
        start(
                (in, out, connection) -> {
                    String head = readHead(in);
                    if (head.startsWith("GET")) {
                        out.write(bytes(OK));
                        head = readHead(in);
                    }
                    heads.add(head);
                    out.write(bytes(OK.replace("200 OK", "503 Service Unavailable")));
                    over.await();
                });
        if (isOverIdle) {
            assertAnswered(ask(get("k")), 200, "value");
        }
        assertAnswered(ask(put(new byte[16 << 20])), 503, "value");
        assertAnswered(ask(get("k")), 200, "value");
        assertThat(node.connectionCount()).as("half a value is on the first").isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void put_thatIsNeverRead_isSilent(boolean isOverIdle) throws IOException {
        start(
                (in, out, _) -> {
                    if (isOverIdle) {
                        readHead(in);
                        out.write(bytes(OK));
                    }
                    over.await();
                },
                SHORT.multipliedBy(2));
        if (isOverIdle) {
            assertAnswered(ask(get("k")), 200, "value");
        }
        assertThat(ask(put(new byte[16 << 20]))).isInstanceOf(TimedOut.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void put_forWhichThereIsNoThread_isToldAndTheNextIsAnswered(boolean isOverIdle)
            throws IOException {
        node = new StubNode(answering(OK));
        client =
                new PeerConnections(
                        node.address(),
                        CREDENTIALS,
                        options(PATIENCE),
                        memory,
                        _ -> {
                            throw new OutOfMemoryError("unable to create native thread");
                        });
        if (isOverIdle) {
            assertAnswered(ask(get("k")), 200, "value");
        }
        assertThat(ask(put(new byte[RequestWriter.SHORT_VALUE_BYTES_MAX + 1])))
                .isInstanceOf(Unreachable.class);
        assertAnswered(ask(get("k")), 200, "value");
    }

    /** Otherwise it would be written to a connection that may have another call by then. */
    @Test
    void put_whoseThreadCannotBeStarted_isNotSentLater() throws IOException {
        node =
                new StubNode(
                        (in, out, _) -> {
                            while (true) {
                                String head = readHead(in);
                                in.readNBytes(contentLength(head));
                                heads.add(head);
                                out.write(bytes(OK));
                            }
                        });
        AtomicInteger asked = new AtomicInteger();
        client =
                new PeerConnections(
                        node.address(),
                        CREDENTIALS,
                        options(PATIENCE),
                        memory,
                        work ->
                                switch (asked.incrementAndGet()) {
                                    case 1 -> null; // A factory may make none.
                                    case 2 -> throw new OutOfMemoryError("made by the test");
                                    default -> new Thread(work);
                                });
        long answered =
                Stream.generate(() -> ask(put(new byte[RequestWriter.SHORT_VALUE_BYTES_MAX + 1])))
                        .limit(3)
                        .filter(Answered.class::isInstance)
                        .count();
        assertThat(answered).isPositive();
        assertThat(heads).as("puts that have arrived").hasSize((int) answered);
    }

    /** A connection without a socket: sending a request over it fails. */
    private PeerConnection connectionWithoutSocket() throws IOException {
        start(answering(OK));
        return new PeerConnection(
                "broken",
                client,
                new RequestWriter(node.address(), node.address(), CREDENTIALS),
                new AnswerReader(memory),
                PATIENCE.toNanos());
    }

    /** Runs something while there is no memory to log anything. */
    private static void withoutLog(Runnable run) {
        PrintStream former = System.err;
        System.setErr(
                new PrintStream(
                        new OutputStream() {
                            @Override
                            public void write(int b) {
                                throw new OutOfMemoryError("made by the test");
                            }
                        }));
        try {
            run.run();
        } finally {
            System.setErr(former);
        }
    }

    /** If {@code ask} threw, the caller would end the call, too. */
    @ParameterizedTest
    @ValueSource(ints = {0, RequestWriter.SHORT_VALUE_BYTES_MAX + 1})
    @ResourceLock(Resources.SYSTEM_ERR)
    void send_thatFailsAndCannotBeLogged_throwsNothing(int valueBytes) throws IOException {
        PeerConnection connection = connectionWithoutSocket();
        PeerConnections all =
                new PeerConnections(
                        node.address(),
                        CREDENTIALS,
                        options(PATIENCE),
                        memory,
                        _ -> {
                            throw new OutOfMemoryError("unable to create native thread");
                        });
        PeerCall call = new KeptCall(put(new byte[valueBytes]), 0).call;
        connection.claim(call);

        assertThatCode(() -> withoutLog(() -> all.send(connection, call)))
                .doesNotThrowAnyException();

        assertThat(call.awaitSendFinished(0)).as("the connection's thread can end it").isTrue();
        all.close();
    }

    @Test
    void ask_whileTheConnectionIsBusy_waitsOrIsRefused() throws Exception {
        CountDownLatch mayAnswer = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        start(
                (in, out, _) -> {
                    while (true) {
                        readHead(in);
                        asked.countDown();
                        mayAnswer.await();
                        out.write(bytes(OK));
                    }
                });
        client.close();
        client = client(node.address(), Duration.ofSeconds(20));
        KeptCall sent = new KeptCall(get("k"), 0);
        KeptCall waits = new KeptCall(get("k"), 0);
        KeptCall refused = new KeptCall(get("k"), 0);
        client.ask(sent.call);
        asked.await();
        client.ask(waits.call);
        client.ask(refused.call);

        assertThat(refused.kept).isCompletedWithValueMatching(QueueFull.class::isInstance);
        assertThat(client.waitingCount()).isEqualTo(1);
        mayAnswer.countDown();
        assertAnswered(sent.kept.get(20, TimeUnit.SECONDS), 200, "value");
        assertAnswered(waits.kept.get(20, TimeUnit.SECONDS), 200, "value");
        assertThat(node.connectionCount()).isEqualTo(1);
    }

    /** A node that answers a GET when the test allows it, and closes the connection at a PUT. */
    private void startWithThreeConnections() throws IOException {
        node =
                new StubNode(
                        (in, out, _) -> {
                            while (true) {
                                String head = readHead(in);
                                heads.add(head);
                                if (head.startsWith("PUT")) {
                                    return;
                                }
                                arrivals.release();
                                answers.acquire();
                                out.write(bytes(OK));
                            }
                        });
        client =
                new PeerConnections(
                        node.address(),
                        CREDENTIALS,
                        options(3, 100, Duration.ofSeconds(20)),
                        memory);
    }

    /** Keeps all connections busy and this many more requests waiting; then answers all. */
    private void askOverAllThree(int waitingCount) throws InterruptedException {
        List<KeptCall> asks =
                Stream.generate(() -> new KeptCall(get("k"), 0)).limit(3 + waitingCount).toList();
        asks.forEach(ask -> client.ask(ask.call));
        assertThat(arrivals.tryAcquire(3, 20, TimeUnit.SECONDS)).as("three at a time").isTrue();
        assertThat(client.waitingCount()).isEqualTo(waitingCount);
        assertThat(client.openCount()).isEqualTo(3);
        answers.release(asks.size());
        for (KeptCall ask : asks) {
            assertAnswered(ask.kept.orTimeout(20, TimeUnit.SECONDS).join(), 200, "value");
        }
        assertThat(arrivals.tryAcquire(waitingCount)).as("the others after them").isTrue();
    }

    @Test
    void asks_moreThanConnections_shareThem() throws Exception {
        startWithThreeConnections();
        askOverAllThree(9);
        assertThat(node.connectionCount()).isEqualTo(3);
        assertThat(heads).hasSize(12);
    }

    @Test
    void asks_afterOthers_useTheirConnections() throws Exception {
        startWithThreeConnections();
        askOverAllThree(0);
        askOverAllThree(3);
        assertThat(node.connectionCount()).isEqualTo(3);
    }

    @Test
    void connection_thatBreaks_isReplacedAlone() throws Exception {
        startWithThreeConnections();
        askOverAllThree(0);
        assertThat(ask(put(new byte[0]))).isInstanceOf(Unreachable.class);
        askOverAllThree(3);
        assertThat(node.connectionCount()).isEqualTo(4);
    }

    @Test
    void close_whileIdle_endsItsThreads() throws IOException {
        start(answering(OK));
        assertAnswered(ask(get("k")), 200, "value");
        client.close();
        assertThat(client.hasEnded()).isTrue();
        assertThat(ask(get("k"))).isInstanceOf(QueueFull.class);
    }

    @Test
    void close_whileTheNodeIsSilent_breaksOffInTheEnd() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        node =
                new StubNode(
                        (in, _, _) -> {
                            readHead(in);
                            asked.countDown();
                            over.await();
                        });
        PeerOptions options =
                new PeerOptions(
                        1,
                        1,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(60),
                        3,
                        Duration.ofSeconds(1),
                        Duration.ofMillis(50));
        client = new PeerConnections(node.address(), CREDENTIALS, options, memory);
        KeptCall ask = new KeptCall(get("k"), 0);
        KeptCall waits = new KeptCall(get("k"), 0);
        client.ask(ask.call);
        asked.await();
        client.ask(waits.call);

        client.close();

        assertThat(client.hasEnded()).isTrue();
        assertThat(ask.kept).isCompletedWithValueMatching(Unreachable.class::isInstance);
        assertThat(waits.kept).isCompletedWithValueMatching(QueueFull.class::isInstance);
    }
}
