package dht.stage4;

import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import dht.command.RunningServer;
import dht.execution.CountedExecutor;
import dht.execution.ExecutionOptions;
import dht.execution.ExecutorKind;
import dht.http.HttpOptions;
import dht.http.ListenAddress;
import dht.peer.Credentials;
import dht.peer.PeerOptions;
import dht.peer.Peers;
import dht.repair.NodeReplacement;
import dht.repair.RebuildOptions;
import dht.repair.RepairOptions;
import dht.replication.HybridLogicalClock;
import dht.replication.RegisterKind;
import dht.replication.StubPeer;
import dht.sharding.Placement;
import dht.sharding.PlacementKind;
import dht.storage.Dao;
import dht.storage.StorageOptions;
import dht.storage.file.LocalDirectory;
import dht.storage.lsm.LsmDao;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.concurrent.Deadline;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what happens to the copies of an acknowledged write when its coordinator stops. */
@Timeout(60)
class StopTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** More than a stop takes that waits for nothing. */
    private static final Duration A_WHILE = Duration.ofMillis(500);

    private static final PeerOptions ONE_CONNECTION =
            new PeerOptions(1, 1, PATIENCE, PATIENCE, 1, PATIENCE, PATIENCE);

    @TempDir private Path directory;
    private final HttpClient client = HttpClient.newHttpClient();
    private StubPeer before;
    private StubPeer after;
    private RunningServer server;

    /** The node in the middle: it asks the one after it, and then the one before. */
    private void start(Duration drainTimeout) throws IOException {
        List<NodeAddress> nodes =
                List.of(
                        new NodeAddress("n1", 1),
                        new NodeAddress("n2", 2),
                        new NodeAddress("n3", 3));
        Topology topology = new Topology(nodes, 1);
        Credentials credentials =
                new Credentials(
                        topology.selfAddress(), Fingerprint.of(topology, ""), Optional.empty());
        Peers peers = new Peers(topology, credentials, StubPeer::new);
        before = (StubPeer) peers.all().getFirst();
        after = (StubPeer) peers.all().getLast();
        HttpOptions options = options(drainTimeout);
        Placement placement = PlacementKind.RENDEZVOUS.of(topology.names(), 1);
        ExecutionOptions oneWorker =
                new ExecutionOptions(ExecutorKind.FIFO, 1, 16, PATIENCE, PATIENCE);
        server =
                RunningServer.start(
                        resources -> {
                            var replacement =
                                    resources.open(
                                            () ->
                                                    NodeReplacement.open(
                                                            Topology.single(topology.selfAddress()),
                                                            credentials,
                                                            ONE_CONNECTION,
                                                            directory,
                                                            new RebuildOptions(
                                                                    false, false, 1024, PATIENCE),
                                                            onlyReadRepair()));
                            LsmDao dao =
                                    resources.open(
                                            () ->
                                                    LsmDao.open(
                                                            LocalDirectory.open(directory),
                                                            StorageOptions.defaults()));
                            CountedExecutor executor =
                                    resources.open(
                                            () ->
                                                    ExecutorKind.FIFO.open(
                                                            "worker", oneWorker, System::nanoTime));
                            return Stage4Server.start(
                                    resources,
                                    ListenAddress.free("127.0.0.1", 0),
                                    options,
                                    placement,
                                    resources.open(() -> peers),
                                    acceptedClock(),
                                    RegisterKind.REGULAR,
                                    replacement,
                                    executor,
                                    dao);
                        });
    }

    private RepairOptions onlyReadRepair() {
        return new RepairOptions(
                true, 1000, Duration.ZERO, 0, directory, Duration.ofDays(10), Duration.ZERO);
    }

    /** Other nodes have accepted its stamps, so this node makes its own copy first. */
    private static HybridLogicalClock acceptedClock() {
        var clock = new HybridLogicalClock(InstantSource.system(), Duration.ofDays(1), 0);
        clock.noteAccepted(clock.nextMicros());
        return clock;
    }

    private static HttpOptions options(Duration drainTimeout) {
        return new HttpOptions(
                1,
                100,
                16 << 10,
                100,
                Dao.MAX_VALUE_BYTES,
                64 << 20,
                4,
                PATIENCE,
                PATIENCE,
                1,
                PATIENCE,
                drainTimeout);
    }

    @AfterEach
    void closeClient() {
        client.close();
    }

    private HttpResponse<String> put() throws Exception {
        URI uri = URI.create(server.url() + "/v0/entity?id=k&replicas=1/3");
        var request = HttpRequest.newBuilder(uri).PUT(HttpRequest.BodyPublishers.ofString("v"));
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void stop_whileCopiesAreLeft_closesNobodyBeforeTheyAreMade() throws Exception {
        start(PATIENCE);
        assertThat(put().statusCode()).isEqualTo(201);
        StubPeer.Question first = after.nextQuestion();
        try (ClientThreads stop = ClientThreads.start(1, _ -> server.close())) {
            assertThat(Deadline.in(A_WHILE).reached(() -> before.isClosed() || after.isClosed()))
                    .as("it was closed to the copy that is left")
                    .isFalse();
            first.answer(201);
            before.nextQuestion().answer(201);
            stop.join(PATIENCE);
        }
        assertThat(before.isClosed()).isTrue();
    }

    @Test
    void stop_whileAReplicaIsSilent_endsInTime() throws Exception {
        start(A_WHILE);
        assertThat(put().statusCode()).isEqualTo(201);
        after.nextQuestion();
        server.close();
        assertThat(before.isClosed()).isTrue();
    }
}
