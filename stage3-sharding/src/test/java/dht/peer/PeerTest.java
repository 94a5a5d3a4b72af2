package dht.peer;

import static dht.peer.StubNode.bytes;
import static dht.peer.StubNode.readHead;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.http.OwnedBytes;
import dht.peer.CircuitBreaker.State;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.CircuitOpen;
import dht.peer.PeerAnswer.QueueFull;
import dht.peer.PeerAnswer.TimedOut;
import dht.peer.PeerAnswer.Unreachable;
import dht.peer.StubNode.Talk;
import dht.testkit.concurrent.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Another node fails for some time. Tests which requests are still sent to it, and which answers
 * the others get.
 */
class PeerTest {
    private static final Credentials CREDENTIALS =
            new Credentials(
                    new NodeAddress("self", 1),
                    new Fingerprint("0123456789abcdef"),
                    Optional.empty());
    private static final int QUEUE_LENGTH = 10;
    private static final int FAILURES_MAX = 3;
    private static final int LARGE_BYTES = 4 << 20;
    private static final Duration PAUSE = Duration.ofMinutes(10);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final ThreadFactory THREADS = Thread.ofPlatform().factory();
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalue";

    private final AtomicLong nowNanos = new AtomicLong();
    private final AtomicInteger askedCount = new AtomicInteger();
    private final Semaphore asked = new Semaphore(0);
    private final Semaphore mayAnswer = new Semaphore(0);
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile boolean isBroken = true;
    private StubNode node;
    private Peer peer;

    private void start(Talk talk, Duration timeout, ThreadFactory senderThreads)
            throws IOException {
        node = new StubNode(talk);
        PeerOptions options =
                new PeerOptions(
                        1,
                        QUEUE_LENGTH,
                        Duration.ofSeconds(10),
                        timeout,
                        FAILURES_MAX,
                        PAUSE,
                        Duration.ZERO);
        MemoryBudget memory = new MemoryBudget(LARGE_BYTES);
        peer =
                new Peer(
                        node.address(),
                        new PeerHealth(node.address(), options, nowNanos::get),
                        new PeerConnections(
                                node.address(), CREDENTIALS, options, memory, senderThreads));
    }

    /** A node that closes connections while it is broken, and answers when the test allows it. */
    private void startBroken(ThreadFactory senderThreads) throws IOException {
        start(
                (in, out, _) -> {
                    while (true) {
                        readHead(in);
                        askedCount.incrementAndGet();
                        if (isBroken) {
                            return;
                        }
                        asked.release();
                        mayAnswer.acquire();
                        out.write(bytes(OK));
                    }
                },
                LONG,
                senderThreads);
    }

    /** Reports so many failures that the breaker opens. */
    private void openBreaker() {
        for (int i = 0; i < FAILURES_MAX; i++) {
            assertThat(await(ask(get()))).isInstanceOf(Unreachable.class);
        }
        assertThat(peer.health().breakerState()).isEqualTo(State.OPEN);
    }

    private CompletableFuture<PeerAnswer> ask(EntityRequest request) {
        CompletableFuture<PeerAnswer> answer = new CompletableFuture<>();
        peer.ask(request, 0, answer::complete);
        return answer;
    }

    private static PeerAnswer await(CompletableFuture<PeerAnswer> answer) {
        return answer.orTimeout(30, TimeUnit.SECONDS).join();
    }

    private static EntityRequest get() {
        return new EntityRequest.Get("k".getBytes(UTF_8), null);
    }

    private static EntityRequest put(int bytes) {
        return new EntityRequest.Put(bytes("k"), OwnedBytes.takeOver(new byte[bytes]), null);
    }

    private void assertNotAskedNow(Class<? extends PeerAnswer> last) {
        assertThat(ask(get()).getNow(null))
                .isInstanceOfSatisfying(
                        CircuitOpen.class,
                        notAsked -> assertThat(notAsked.last()).isInstanceOf(last));
    }

    @AfterEach
    void end() throws IOException {
        over.countDown();
        node.close();
        peer.close();
    }

    @Test
    void node_thatFailsTooOften_isNotAskedForThePause() throws IOException {
        startBroken(THREADS);
        openBreaker();
        int asksBefore = askedCount.get();
        int connectionsBefore = node.connectionCount();

        assertNotAskedNow(Unreachable.class);
        nowNanos.addAndGet(PAUSE.minusNanos(1).toNanos());
        assertNotAskedNow(Unreachable.class);

        assertThat(askedCount).hasValue(asksBefore);
        assertThat(node.connectionCount()).isEqualTo(connectionsBefore);
        assertThat(peer.health().counts().unreachableCount()).isEqualTo(FAILURES_MAX);
        assertThat(peer.health().counts().refusedCount()).isEqualTo(2);
    }

    @Test
    void pause_thatIsOver_letsOneTryWhoseAnswerLetsAllIn() throws Exception {
        startBroken(THREADS);
        openBreaker();
        int asksBefore = askedCount.get();
        isBroken = false;
        nowNanos.addAndGet(PAUSE.toNanos());

        CompletableFuture<PeerAnswer> probe = ask(get());
        assertThat(asked.tryAcquire(30, TimeUnit.SECONDS)).as("the node is asked").isTrue();
        assertThat(peer.health().breakerState()).isEqualTo(State.HALF_OPEN);
        assertNotAskedNow(Unreachable.class);
        assertThat(askedCount).hasValue(asksBefore + 1);

        mayAnswer.release(2);
        assertThat(await(probe)).isInstanceOf(Answered.class);
        assertThat(peer.health().breakerState()).isEqualTo(State.CLOSED);
        assertThat(await(ask(get()))).isInstanceOf(Answered.class);
        assertThat(askedCount).hasValue(asksBefore + 2);
    }

    @Test
    void probe_thatFails_beginsThePauseAnew() throws IOException {
        startBroken(THREADS);
        openBreaker();
        nowNanos.addAndGet(PAUSE.toNanos());

        assertThat(await(ask(get()))).isInstanceOf(Unreachable.class);
        assertNotAskedNow(Unreachable.class);
        nowNanos.addAndGet(PAUSE.toNanos());
        assertThat(await(ask(get()))).isInstanceOf(Unreachable.class);
    }

    @Test
    void probe_forWhichThereIsNoThread_isOverToo() throws IOException {
        startBroken(
                _ -> {
                    throw new OutOfMemoryError("unable to create native thread");
                });
        openBreaker();
        nowNanos.addAndGet(PAUSE.toNanos());

        assertThat(await(ask(put(LARGE_BYTES)))).isInstanceOf(Unreachable.class);
        assertThat(peer.health().breakerState()).isEqualTo(State.OPEN);
    }

    /** The first write gets more time than the second one waits, because it sends more bytes. */
    @Test
    void request_thatWaitsBehindASilentOne_isToldAsMuch() throws IOException {
        start(
                (in, _, _) -> {
                    readHead(in);
                    in.readNBytes(2 << 20);
                    over.await();
                },
                SHORT,
                THREADS);
        CompletableFuture<PeerAnswer> silent = ask(put(LARGE_BYTES));
        CompletableFuture<PeerAnswer> waits = ask(get());

        assertThat(await(silent)).isEqualTo(new TimedOut());
        assertThat(await(waits)).isEqualTo(new CircuitOpen(new TimedOut()));
        assertThat(peer.health().breakerState()).as("it was but one").isEqualTo(State.CLOSED);
        assertThat(peer.health().counts().busyCount()).isZero();
    }

    @Test
    void node_thatHalfOfThoseWaitForWhoMay_isBehind() throws IOException {
        start(
                (in, _, _) -> {
                    readHead(in);
                    over.await();
                },
                LONG,
                THREADS);
        ask(get());
        Deadline.in(LONG).await("the first one is asked", () -> peer.queuedCount() == 0);
        for (int i = 1; i < QUEUE_LENGTH / 2; i++) {
            ask(get());
        }
        assertThat(peer.isBehind()).isFalse();
        ask(get());
        assertThat(peer.isBehind()).isTrue();
    }

    @Test
    void request_thatWaitsTooLongBehindASlowOne_isBusy() throws IOException {
        start(
                (in, out, _) -> {
                    readHead(in);
                    in.readNBytes(LARGE_BYTES);
                    over.await(SHORT.toMillis() + 500, TimeUnit.MILLISECONDS);
                    out.write(bytes(OK));
                    over.await();
                },
                SHORT,
                THREADS);
        CompletableFuture<PeerAnswer> slow = ask(put(LARGE_BYTES));
        CompletableFuture<PeerAnswer> waits = ask(get());

        assertThat(await(slow)).isInstanceOf(Answered.class);
        assertThat(await(waits)).isEqualTo(new QueueFull());
        assertThat(peer.health().counts().busyCount()).isEqualTo(1);
    }
}
