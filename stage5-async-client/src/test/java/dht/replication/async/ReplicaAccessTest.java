package dht.replication.async;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import dht.command.ListenFlags;
import dht.http.EntityRequest;
import dht.http.HttpOptions;
import dht.peer.Credentials;
import dht.peer.PeerFlags;
import dht.peer.RemoteNode;
import dht.peer.async.StubNode;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.concurrent.Deadline;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Timeout(60)
class ReplicaAccessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final byte[] KEY = "k".getBytes(UTF_8);

    /** More than closing takes after the request was given up. */
    private static final long A_WHILE_MILLIS = 500;

    private final CountDownLatch told = new CountDownLatch(1);
    private final CountDownLatch mayReturn = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);

    /** What a receiver does, such as keeping a hint, must be done when the caller goes on. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--peer-executor=direct",
                "--peer-executor=pool",
                "--fan-out=parallel",
                "--fan-out=sequential"
            })
    void close_whileANodeIsSilent_waitsForTheReceiver(String option) throws Exception {
        try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ReplicaAccess access = open(silent.getLocalPort(), option)) {
            access.peers()
                    .all()
                    .getFirst()
                    .ask(new EntityRequest.Get(KEY, null), 0, _ -> receive());
            try (var closing = ClientThreads.start(1, _ -> close(access))) {
                await(told);
                assertThat(closed.await(A_WHILE_MILLIS, TimeUnit.MILLISECONDS))
                        .as("it is closed before the receiver has returned")
                        .isFalse();
                mayReturn.countDown();
                closing.join(PATIENCE);
            }
        }
    }

    private void receive() {
        told.countDown();
        await(mayReturn);
    }

    private void close(ReplicaAccess access) {
        access.close();
        closed.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ReplicaAccess open(int port, String option) {
        Topology topology =
                new Topology(
                        List.of(new NodeAddress("self", 1), new NodeAddress("127.0.0.1", port)), 0);
        Credentials credentials =
                new Credentials(
                        topology.selfAddress(), Fingerprint.of(topology, ""), Optional.empty());
        PeerFlags peers = parsed(new PeerFlags(), "--peer-timeout=1m");
        HttpOptions http = parsed(new ListenFlags(), "--drain-timeout=20s").httpOptions();
        return parsed(new FanOutFlags(), option).open(peers, topology, credentials, http);
    }

    private static <T> T parsed(T flags, String option) {
        new CommandLine(flags).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(option);
        return flags;
    }

    @Test
    void warmUp_sendsARequestToThisNode() throws Exception {
        var heads = new LinkedBlockingQueue<String>();
        try (StubNode self = new StubNode((in, _, _) -> heads.add(StubNode.readHead(in)));
                ReplicaAccess access = open(1, "--fan-out=async")) {
            access.warmUp(self.address().url());
            assertThat(heads.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).startsWith("GET ");
        }
    }

    /** Of requests for which the node has not answered yet. */
    private static long messageCount(ReplicaAccess access, int requests) throws Exception {
        PrometheusRegistry registry = new PrometheusRegistry();
        access.watch(registry);
        RemoteNode peer = access.peers().all().getFirst();
        for (int i = 0; i < requests; i++) {
            peer.ask(new EntityRequest.Get(KEY, null), 0, _ -> {});
        }
        var messages =
                (CounterSnapshot)
                        registry.scrape("peer_messages"::equals).stream().findFirst().get();
        return (long) messages.getDataPoints().getFirst().getValue();
    }

    @ParameterizedTest
    @CsvSource({"1, 20, 20", "64, 1, 19"})
    void requestsToABusyNode_shareMessagesUnlessThatIsSwitchedOff(
            int batchMax, long messagesMin, long messagesMax) throws Exception {
        try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ReplicaAccess access =
                        open(silent.getLocalPort(), "--peer-batch-max=" + batchMax)) {
            assertThat(messageCount(access, 20)).isBetween(messagesMin, messagesMax);
            silent.close(); // So that no request is waited for.
        }
    }

    @Test
    void open_thatFails_leavesNoThread() throws Exception {
        ThreadGroup group = new ThreadGroup("opening");
        var failed = new CompletableFuture<Throwable>();
        Thread opening =
                new Thread(
                        group,
                        () -> {
                            try {
                                openWithoutCredentials();
                            } catch (Throwable e) {
                                failed.complete(e);
                            }
                        });
        opening.start();
        assertThat(failed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(NullPointerException.class);
        Deadline.in(PATIENCE).await("no thread is left", () -> group.activeCount() == 0);
    }

    private static void openWithoutCredentials() {
        Topology topology =
                new Topology(List.of(new NodeAddress("self", 1), new NodeAddress("n", 1)), 0);
        HttpOptions http = parsed(new ListenFlags(), "--drain-timeout=20s").httpOptions();
        parsed(new FanOutFlags(), "--fan-out=async")
                .open(parsed(new PeerFlags(), "--peer-timeout=1m"), topology, null, http)
                .close();
    }
}
