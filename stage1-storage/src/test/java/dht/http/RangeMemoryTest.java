package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.CorruptionException;
import dht.storage.EntryCursor;
import dht.storage.EntryView;
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
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The buffer of a range counts in the memory of connections from the range's beginning to its end,
 * however the range ends.
 */
@Timeout(60)
class RangeMemoryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int BUDGET_BYTES = 1 << 20;

    /** Leaves less than the buffer of a range, besides the reserve. */
    private static final int UPLOAD_BYTES = BUDGET_BYTES * 3 / 4 - RangeStream.BUFFER_BYTES / 2;

    private static final HttpOptions OPTIONS =
            new HttpOptions(
                    1,
                    16,
                    8192,
                    100,
                    1 << 20,
                    BUDGET_BYTES,
                    4,
                    PATIENCE,
                    PATIENCE,
                    1,
                    PATIENCE,
                    Duration.ofMillis(100));

    /** The fills of a range whose key begins so wait for the test. */
    private static final String HELD = "held-";

    /** What happens to a range. */
    private enum Course {
        ENDS,
        CANNOT_BE_OPENED,
        IS_DAMAGED,
        IS_DAMAGED_AT_ONCE,
        CANNOT_BE_LOGGED,
        CANNOT_BE_CLOSED,
        IS_REFUSED,
        CANNOT_GO_ON,

        /** While it is being opened, other connections take all memory that is left. */
        OTHERS_USE_UP_THE_MEMORY,

        /** Its client reads only the beginning. */
        IS_ENDLESS,

        /** Its client reads only the beginning, and its cursor cannot be closed. */
        IS_ENDLESS_AND_CANNOT_BE_CLOSED;

        boolean isEndless() {
            return this == IS_ENDLESS || this == IS_ENDLESS_AND_CANNOT_BE_CLOSED;
        }

        boolean canBeClosed() {
            return this != CANNOT_BE_CLOSED && this != IS_ENDLESS_AND_CANNOT_BE_CLOSED;
        }
    }

    @TempDir private Path directory;
    private final BlockingQueue<Responder> uploads = new LinkedBlockingQueue<>();
    private final BlockingQueue<RequestExecutor.Task> fills = new LinkedBlockingQueue<>();
    private final BlockingQueue<Responder> responders = new LinkedBlockingQueue<>();
    private final AtomicInteger openedCount = new AtomicInteger();
    private final AtomicInteger releasedCount = new AtomicInteger();
    private LsmDao dao;
    private ListenAddress address;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        dao = LsmDao.open(LocalDirectory.open(directory), StorageOptions.defaults());
        address = ListenAddress.free("127.0.0.1", 0);
        Router router = Router.forNode(dao, this::serve, RequestExecutor.inline(), OPTIONS);
        server = new HttpServer(address, OPTIONS, router);
        server.start();
    }

    /** Answers a read with a range of the kind that the key says. Does not answer a write yet. */
    private void serve(EntityRequest request, Responder responder) {
        if (request instanceof EntityRequest.Put) {
            uploads.add(responder);
            return;
        }
        String key = new String(request.key(), ISO_8859_1);
        boolean isHeld = key.startsWith(HELD);
        Course course = Course.valueOf(key.replace(HELD, ""));
        responders.add(responder);
        responder.respond(
                () -> new Cursor(course),
                isHeld ? fills::add : task -> fill(course, task),
                releasedCount::incrementAndGet);
    }

    private static void fill(Course course, RequestExecutor.Task task) {
        switch (course) {
            case IS_REFUSED -> task.refuse(Response.unavailable("made by the test"));
            case CANNOT_GO_ON -> throw new OutOfMemoryError("made by the test");
            default -> task.run();
        }
    }

    private final class Cursor implements EntryCursor {
        private final Course course;
        private final EntryView entry = new EntryView();
        private final List<ConnectionMemory> others = new ArrayList<>();
        private int count;

        Cursor(Course course) {
            this.course = course;
            if (course == Course.CANNOT_BE_OPENED) {
                throw new IllegalStateException("made by the test");
            }
            openedCount.incrementAndGet();
            if (course == Course.OTHERS_USE_UP_THE_MEMORY) {
                useUpMemory();
            }
            entry.wrap(MemorySegment.ofArray(new byte[10_001]), 0, 1, 1, 10_000, 1);
        }

        @Override
        public boolean next() {
            count++;
            switch (course) {
                case IS_DAMAGED -> damagedIf(count > 1);
                case IS_DAMAGED_AT_ONCE -> damagedIf(true);
                case CANNOT_BE_LOGGED -> throw new UnloggableError();
                default -> {}
            }
            return count == 1 || course.isEndless();
        }

        private void useUpMemory() {
            boolean isTaken = true;
            while (isTaken) {
                ConnectionMemory other = server.connectionMemory();
                isTaken = other.tryTake(ConnectionMemory.LITTLE_BYTES_MAX);
                if (isTaken) {
                    others.add(other);
                }
            }
        }

        private static void damagedIf(boolean isDamaged) {
            if (isDamaged) {
                throw new CorruptionException("file", 0, "made by the test");
            }
        }

        @Override
        public EntryView entry() {
            return entry;
        }

        @Override
        public void close() {
            others.forEach(other -> other.giveBack(ConnectionMemory.LITTLE_BYTES_MAX));
            if (!course.canBeClosed()) {
                throw new IllegalStateException("made by the test");
            }
        }
    }

    /** As if there were no memory for the log. */
    private static final class UnloggableError extends OutOfMemoryError {
        @Override
        public String getMessage() {
            throw new OutOfMemoryError("made by the test");
        }
    }

    @AfterEach
    void stop() {
        server.stop();
        assertThat(server.connectionMemoryTakenBytes()).isZero();
        dao.close();
    }

    @ParameterizedTest
    @EnumSource
    void range_howeverItEnds_givesItsBufferBackOnce(Course course) {
        for (int i = 1; i <= 3; i++) {
            try (Connection client = connect()) {
                client.send(range(course.name()));
                if (course.isEndless()) {
                    awaitTaken(RangeStream.BUFFER_BYTES);
                    client.reset();
                }
                awaitReleased(i);
                awaitTaken(0);
            }
        }
    }

    @Test
    void range_thatIsEndedDuringAFill_keepsItsBufferUntilItIsFilled() throws Exception {
        try (Connection _ = connect().send(range(HELD + Course.ENDS))) {
            RequestExecutor.Task fill = nextFill();
            server.stop();
            assertThat(server.connectionMemoryTakenBytes()).isEqualTo(RangeStream.BUFFER_BYTES);
            fill.run();
            assertThat(server.connectionMemoryTakenBytes()).isZero();
            assertThat(releasedCount).hasValue(1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"IS_DAMAGED_AT_ONCE", "CANNOT_BE_LOGGED"})
    void range_whoseFirstFillFailsOnAnotherThread_isCutOff(Course course) throws Exception {
        try (Connection _ = connect().send(range(HELD + course))) {
            assertThatCode(nextFill()::run).doesNotThrowAnyException();
            Deadline.in(PATIENCE)
                    .await(
                            "the range to end, or to be filled again",
                            () -> releasedCount.get() > 0 || !fills.isEmpty());
            assertThat(fills).isEmpty();
            assertThat(releasedCount).hasValue(1);
            Deadline.in(PATIENCE).await("it is closed", () -> server.getConnections() == 0);
        }
    }

    @Test
    void range_thatIsFilledForLong_isNotIdle() throws Exception {
        try (Connection client = connect().send(range(HELD + Course.ENDS))) {
            RequestExecutor.Task fill = nextFill();
            long laterMillis = System.currentTimeMillis() + PATIENCE.multipliedBy(2).toMillis();
            responders.take().session().sweep(laterMillis, false);
            fill.run();
            client.receive().expectStatus(200);
        }
    }

    @Test
    void range_withoutMemoryForItsBuffer_is503AndLeavesNothing() throws Exception {
        try (Connection uploader = connect();
                Connection reader = connect()) {
            uploader.send(Request.put(Target.entity("k"), new byte[UPLOAD_BYTES]));
            Responder upload = uploads.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            long takenBytes = server.connectionMemoryTakenBytes();
            for (int i = 1; i <= 3; i++) {
                reader.send(range("ENDS")).receive().expectError(503);
                assertThat(server.connectionMemoryTakenBytes()).isEqualTo(takenBytes);
                assertThat(releasedCount).hasValue(i);
            }
            assertThat(openedCount).hasValue(0);
            upload.respond(LocalEntityService.CREATED);
            uploader.receive().expectStatus(201);
            reader.send(range("ENDS")).receive().expectStatus(200);
            awaitTaken(0);
        }
    }

    @Test
    void range_whoseClientHasGone_isNotOpened() throws Exception {
        Connection client = connect().send(Request.put(Target.entity("k"), new byte[1]));
        Responder responder = uploads.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        client.reset();
        Deadline.in(PATIENCE).await("it is closed", () -> server.getConnections() == 0);
        responder.respond(
                () -> new Cursor(Course.ENDS), fills::add, releasedCount::incrementAndGet);
        assertThat(openedCount).hasValue(0);
        assertThat(releasedCount).hasValue(1);
    }

    @Test
    void stop_whileRangesCannotBeClosed_closesTheirConnections() {
        Request endless = range(Course.IS_ENDLESS_AND_CANNOT_BE_CLOSED.name());
        try (Connection first = connect().send(endless);
                Connection second = connect().send(endless)) {
            awaitTaken(2 * RangeStream.BUFFER_BYTES);
            server.stop();
            assertIsCutOff(first);
            assertIsCutOff(second);
        }
    }

    private static void assertIsCutOff(Connection client) {
        Iterator<byte[]> chunks = client.receiveChunkedHead().remainingChunks();
        assertThatThrownBy(() -> chunks.forEachRemaining(_ -> {}))
                .isInstanceOfSatisfying(NoAnswer.class, end -> assertThat(end.isGone()).isTrue());
    }

    /** The range has its memory already. */
    @Test
    void range_whileOthersUseUpTheMemory_isSent() throws Exception {
        try (Connection client = connect()) {
            client.send(range(HELD + Course.OTHERS_USE_UP_THE_MEMORY));
            nextFill().run();
            client.receive().expectStatus(200);
            awaitTaken(0);
        }
    }

    @Test
    void reader_thatStallsWhileMemoryIsScarce_isEndedAfterFiveSeconds() throws Exception {
        MemoryBudget scarce = MemoryBudget.withReserve(100, 0);
        scarce.tryTake(60);
        try (Connection _ = connect().send(range("IS_ENDLESS"))) {
            HttpSession session = responders.take().session();
            var sweeper = new ConnectionSweeper(Set.of(session), scarce, session.failures());
            Deadline.in(PATIENCE).await("it stalls", () -> hasStalled(session));
            long nowMillis = System.currentTimeMillis();
            long sinceMillis = nowMillis - session.stalledMillis(nowMillis);
            sweeper.check(sinceMillis + 4_900, false);
            assertThat(server.connectionMemoryTakenBytes()).isPositive();
            sweeper.check(sinceMillis + 5_100, false);
            awaitTaken(0);
        }
    }

    /** Whether its socket has taken nothing for some time. */
    private static boolean hasStalled(HttpSession session) {
        long nowMillis = System.currentTimeMillis();
        session.sweep(nowMillis, false);
        return session.stalledMillis(nowMillis) >= 300;
    }

    private RequestExecutor.Task nextFill() throws InterruptedException {
        RequestExecutor.Task fill = fills.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(fill).as("a fill").isNotNull();
        return fill;
    }

    private void awaitTaken(long bytes) {
        Deadline.in(PATIENCE)
                .await(
                        "connections to hold bytes=" + bytes,
                        () -> server.connectionMemoryTakenBytes() == bytes);
    }

    private void awaitReleased(int count) {
        Deadline.in(PATIENCE)
                .await("ranges to be released: " + count, () -> releasedCount.get() == count);
    }

    private static Request range(String kind) {
        return Request.get(Target.entity(kind));
    }

    private Connection connect() {
        Transcript transcript = new Transcript("ranges", Promise.CLIENTS_ARE_APART);
        URI url = URI.create(address.url());
        return Connection.open(url, "node", Connection.SMALL_BUFFER_BYTES, PATIENCE, transcript);
    }
}
