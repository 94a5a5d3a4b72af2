package dht.peer.async;

import static dht.peer.async.StubNode.bytes;
import static dht.peer.async.StubNode.readHead;
import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.junit.CapturedErr;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ResourceLock(Resources.SYSTEM_ERR)
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class PeerTransportTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final String RETRIES = "jdk.httpclient.enableAllMethodRetry";

    @RegisterExtension private final CapturedErr err = new CapturedErr();

    private static PeerTransport transport(PeerExecutorKind kind) {
        return new PeerTransport(kind, LONG);
    }

    @ParameterizedTest
    @CsvSource({", true", "false, false"})
    void writes_mayBeRepeatedUnlessTheUserForbidsIt(String before, String after) {
        String former = System.getProperty(RETRIES);
        try {
            System.clearProperty(RETRIES);
            if (before != null) {
                System.setProperty(RETRIES, before);
            }
            transport(PeerExecutorKind.DIRECT).close();
            assertThat(System.getProperty(RETRIES)).isEqualTo(after);
        } finally {
            System.clearProperty(RETRIES);
            if (former != null) {
                System.setProperty(RETRIES, former);
            }
        }
    }

    @Test
    void close_always_endsInTimeWithoutAComplaint() {
        transport(PeerExecutorKind.DIRECT).close();
        PeerTransport used = transport(PeerExecutorKind.POOL);
        assertThat(used.client()).isNotNull().isSameAs(used.client());
        used.close();
        assertThat(used.client().isTerminated()).isTrue();
        assertThat(used.timeoutThread().hasEnded()).isTrue();
        assertThat(err.toString()).doesNotContain("did not end");
    }

    @Test
    void close_whileAThreadDoesNotEnd_complains() throws Exception {
        PeerTransport transport = transport(PeerExecutorKind.DIRECT);
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        transport
                .failures()
                .execute(
                        () -> {
                            busy.countDown();
                            await(release);
                        });
        assertThat(busy.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        transport.close();
        release.countDown();
        assertThat(err.toString()).contains("did not end");
    }

    /** An interrupt stays visible. */
    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A thread that is to stop has no time to wait for others. */
    @Test
    void close_ofAnInterruptedThread_handlesWhatIsLeftAndStaysInterrupted() throws Exception {
        PeerTransport transport = transport(PeerExecutorKind.DIRECT);
        CompletableFuture<Thread> busy = new CompletableFuture<>();
        CountDownLatch release = new CountDownLatch(1);
        transport
                .failures()
                .execute(
                        () -> {
                            busy.complete(Thread.currentThread());
                            await(release);
                        });
        Thread other = busy.get(LONG.toSeconds(), TimeUnit.SECONDS);
        CompletableFuture<Thread> waiting = new CompletableFuture<>();
        transport.failures().execute(() -> waiting.complete(Thread.currentThread()));
        Thread.currentThread().interrupt();
        transport.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(waiting.getNow(null)).as("left to its caller").isSameAs(Thread.currentThread());
        assertThat(other.isInterrupted()).as("it may be storing a hint").isFalse();
        release.countDown();
        assertThat(other.join(LONG)).as("it ends").isTrue();
    }

    @Test
    void warmUp_asksTheServerIfThereIsAClient() throws IOException, InterruptedException {
        BlockingQueue<String> heads = new LinkedBlockingQueue<>();
        try (StubNode server =
                        new StubNode(
                                (in, out, _) -> {
                                    heads.add(readHead(in));
                                    out.write(
                                            bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
                                });
                PeerTransport transport = transport(PeerExecutorKind.DIRECT)) {
            transport.warmUp(server.address().url());
            assertThat(server.connectionCount()).isZero();
            transport.client();
            transport.warmUp(server.address().url());
            assertThat(heads.poll(LONG.toSeconds(), TimeUnit.SECONDS))
                    .startsWith("GET /v0/status HTTP/1.1\r\n");
        }
    }
}
