package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.ReadOutcome;
import dht.storage.ReadOutcome.Found;
import dht.storage.StorageOptions;
import dht.storage.file.LocalDirectory;
import dht.storage.lsm.LsmDao;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Connection;
import dht.testkit.http.NoAnswer;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.transcript.Promise;
import dht.testkit.transcript.Transcript;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Connections keep the limit of their memory and give back all of it, whatever their clients do.
 */
@Timeout(120)
class ConnectionMemoryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration OTHERS_PATIENCE = Duration.ofSeconds(5);
    private static final int BUDGET_BYTES = 1 << 20;
    private static final int BODY_BYTES_MAX = 1 << 20;

    /** Sent as a copy on the heap. */
    private static final int ANSWER_BYTES = 60_000;

    @TempDir private Path directory;
    private final BlockingQueue<Responder> held = new LinkedBlockingQueue<>();
    private final List<Connection> clients = new ArrayList<>();
    private LsmDao dao;
    private ListenAddress address;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        start(PATIENCE);
    }

    private void start(Duration dataRateWindow) throws IOException {
        HttpOptions options =
                new HttpOptions(
                        2,
                        1000,
                        16 << 10,
                        100,
                        BODY_BYTES_MAX,
                        BUDGET_BYTES,
                        4,
                        PATIENCE,
                        PATIENCE,
                        1000,
                        dataRateWindow,
                        Duration.ofSeconds(1));
        dao =
                LsmDao.open(
                        LocalDirectory.open(directory),
                        StorageOptions.builder().memTableBytes(1 << 20).build());
        address = ListenAddress.free("127.0.0.1", 0);
        Router router = Router.forNode(dao, this::serve, RequestExecutor.inline(), options);
        server = new HttpServer(address, options, router);
        server.start();
    }

    /** Answers with so many bytes as the key says; keeps what is to be answered later. */
    private void serve(EntityRequest request, Responder responder) {
        String key = new String(request.key(), ISO_8859_1);
        if (key.equals("later")) {
            held.add(responder);
        } else if (request instanceof EntityRequest.Get) {
            byte[] value = new byte[Integer.parseInt(key)];
            responder.respond(new Found(MemorySegment.ofArray(value), 1, () -> {}));
        } else {
            responder.respond(LocalEntityService.CREATED);
        }
    }

    @AfterEach
    void stop() {
        clients.forEach(Connection::close);
        server.stop();
        assertThat(server.connectionMemoryTakenBytes()).isZero();
        dao.close();
    }

    @Test
    void readers_thatDontRead_leaveRoomForOthers() {
        Request read = Request.get(Target.entity("" + ANSWER_BYTES));
        for (int i = 0; i < 200; i++) {
            connectSmall().sendPipelined(Collections.nCopies(300, read));
            if (i % 10 == 0) {
                expectOthersServed();
            }
        }
        expectAllGivenBack();
    }

    /**
     * The storage may answer with a copy of this size, and the copy waits on the heap. The first
     * answers differ in size, because an answer does not wait if it just fits into the socket.
     */
    @ParameterizedTest
    @ValueSource(ints = {64 << 10, 80_000, ReadOutcome.UNCOPIED_BYTES_MIN - 1})
    void answer_thatMayBeACopy_counts(int valueBytes) {
        Request read = Request.get(Target.entity("" + valueBytes));
        for (int firstBytes = 0; firstBytes < ANSWER_BYTES; firstBytes += ANSWER_BYTES / 8) {
            Request first = Request.get(Target.entity("" + firstBytes));
            connectSmall().sendPipelined(List.of(first, read, read, read));
        }
        Deadline.in(PATIENCE)
                .await("one waits", () -> server.connectionMemoryTakenBytes() >= valueBytes);
        expectAllGivenBack();
    }

    @Test
    void heads_thatDontEnd_leaveRoomForOthers() {
        for (int i = 0; i < 300; i++) {
            connect().sendRaw("GET /v0/status HTTP/1.1\r\nA: " + "a".repeat(16_000));
            if (i % 10 == 0) {
                expectOthersServed();
            }
        }
        expectAllGivenBack();
    }

    @Test
    void bodies_thatAreAnnouncedAndDontCome_takeNoRoom() {
        for (int i = 0; i < 100; i++) {
            announce(BODY_BYTES_MAX).sendBody(new byte[1]);
        }
        Request put = Request.put(Target.entity("k"), new byte[BUDGET_BYTES / 2]);
        connect().send(put).receive().expectStatus(201);
        expectAllGivenBack();
    }

    @Test
    void bodies_thatStopHalfWay_makeRoomForOthers() {
        for (int i = 0; i < 8; i++) {
            announce(BODY_BYTES_MAX).sendBody(new byte[BUDGET_BYTES / 8]);
        }
        Request put = Request.put(Target.entity("k"), new byte[200_000]);
        Deadline.in(PATIENCE).await("there is room", () -> isStored(put));
        expectAllGivenBack();
    }

    @Test
    void body_thatComesTooSlowly_isAnswered408AndClosed() throws IOException {
        restart(Duration.ofMillis(200));
        Connection client = announce(10_000).sendBody(new byte[5]);
        client.receive().expectError(408);
        client.expectClosed();
        expectAllGivenBack();
    }

    @Test
    void answer_thatIsNotRead_isGivenUp() throws IOException {
        restart(Duration.ofMillis(200));
        connectSmall().send(Request.get(Target.entity("10000000"))).awaitAnswer();
        Deadline.in(PATIENCE).await("it is closed", () -> server.getConnections() == 0);
    }

    /** Each answer fits into the socket, so only requests wait for this client. */
    @Test
    void requests_behindSmallAnswersThatAreNotRead_areGivenUp() throws IOException {
        restart(Duration.ofMillis(200));
        Request small = Request.get(Target.entity("100"));
        connectSmall().sendPipelined(Collections.nCopies(5000, small));
        Deadline.in(PATIENCE).await("requests wait", () -> server.connectionMemoryTakenBytes() > 0);
        Deadline.in(PATIENCE.dividedBy(3)) // Before the timeout for idle connections.
                .await("it is closed", () -> server.getConnections() == 0);
    }

    /** If requests are not read, closing the socket discards the answer that is on its way. */
    @Test
    void lastAnswer_toAClientThatSendsFurtherRequests_arrives() {
        Request last = Request.get(Target.entity("60000")).header("Connection: close");
        Request more = Request.put(Target.entity("k"), new byte[1000]);
        Connection client = connectSmall();
        client.sendPipelined(
                Stream.concat(Stream.of(last), Stream.generate(() -> more).limit(300)).toList());
        Deadline.in(PATIENCE).await("it is open", () -> server.getConnections() == 1);
        Deadline.in(PATIENCE).await("it is closed", () -> server.getConnections() == 0);
        assertThat(client.receive().expectStatus(200).body()).hasSize(60_000);
        client.expectClosed();
        expectAllGivenBack();
    }

    /** As an error answer, the last one has some time to arrive. */
    @Test
    void answer408_toAClientThatDoesntRead_staysForSomeTime() throws IOException {
        Duration window = Duration.ofMillis(200);
        Duration linger = Duration.ofSeconds(2);
        restart(window);
        long begunNanos = System.nanoTime();
        Connection client = announce(10_000).sendBody(new byte[5]);
        Deadline.in(PATIENCE).await("it is open", () -> server.getConnections() == 1);
        Deadline.in(PATIENCE).await("it is closed", () -> server.getConnections() == 0);
        assertThat(Duration.ofNanos(System.nanoTime() - begunNanos))
                .isGreaterThan(window.plus(linger));
        client.receive().expectError(408);
    }

    @Test
    void request_abandonedAfterItsClientHasGone_givesItsBodyBack() throws InterruptedException {
        Connection client = connect();
        client.send(Request.put(Target.entity("later"), new byte[10_000]));
        Responder responder = held.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        client.reset();
        Deadline.in(PATIENCE).await("it is closed", () -> server.getConnections() == 0);
        assertThat(server.connectionMemoryTakenBytes()).isGreaterThan(10_000);
        responder.giveUp();
        assertThat(server.connectionMemoryTakenBytes()).isZero();
    }

    @Test
    void request_answeredAfterItsClientHasGone_givesItsBodyBack() throws InterruptedException {
        Connection client = connect();
        client.send(Request.put(Target.entity("later"), new byte[10_000]));
        Responder responder = held.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        client.reset();
        Deadline.in(PATIENCE).await("it is closed", () -> server.getConnections() == 0);
        responder.respond(LocalEntityService.CREATED);
        assertThat(server.connectionMemoryTakenBytes()).isZero();
    }

    /** On a slow machine the upload itself may be one of those that are ended to make room. */
    private boolean isStored(Request put) {
        try {
            return connect().send(put).receive().expectStatus(201, 503).status() == 201;
        } catch (NoAnswer _) {
            return false;
        }
    }

    private void restart(Duration dataRateWindow) throws IOException {
        stop();
        start(dataRateWindow);
    }

    /**
     * Clients that fill the memory faster than the sweeper ends their connections may have others
     * refused, for as long as it takes the sweeper to run.
     */
    private void expectOthersServed() {
        Deadline.in(OTHERS_PATIENCE).await("others are served", this::areOthersServed);
        assertThat(server.connectionMemoryTakenBytes()).isLessThanOrEqualTo(BUDGET_BYTES);
    }

    private boolean areOthersServed() {
        List<Request> requests =
                List.of(
                        Request.put(Target.entity("k"), new byte[1000]),
                        Request.get(Target.entity("1000")),
                        Request.get(Target.STATUS));
        try (Connection other = connect()) {
            return requests.stream()
                    .allMatch(
                            each ->
                                    other.send(each).receive().expectStatus(200, 201, 503).status()
                                            != 503);
        } catch (NoAnswer _) {
            return false;
        }
    }

    private void expectAllGivenBack() {
        clients.forEach(Connection::close);
        Deadline.in(PATIENCE)
                .await("all is given back", () -> server.connectionMemoryTakenBytes() == 0);
    }

    private Connection announce(int bodyBytes) {
        return connect().sendHead(Request.put(Target.entity("k"), new byte[bodyBytes]));
    }

    private Connection connect() {
        return connect(Connection.DEFAULT_BUFFER);
    }

    private Connection connectSmall() {
        return connect(Connection.SMALL_BUFFER_BYTES);
    }

    private Connection connect(int bufferBytes) {
        Transcript transcript = new Transcript("memory", Promise.CLIENTS_ARE_APART);
        URI url = URI.create(address.url());
        Connection client = Connection.open(url, "node", bufferBytes, PATIENCE, transcript);
        clients.add(client);
        return client;
    }
}
