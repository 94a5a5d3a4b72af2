package dht.testkit.contract;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.history.History;
import dht.testkit.history.HistoryCheck;
import dht.testkit.history.Operation;
import dht.testkit.history.RecordingClient;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Histories of many clients that write and read the same few keys: they must be consistent. */
public interface QuorumHistoryContract extends HistoryContract {
    int CLIENTS = 8;
    int OPERATIONS_EACH = 250;
    int CONTENDED_KEYS = 4;
    int RESTARTS = 3;
    int OPERATIONS_BEFORE_RESTART = 300;

    @Test
    @Verifies(Promise.READS_MEET_WRITES)
    default void history_ofManyClients_isExplainedByOneOrder() {
        var cluster = cluster();
        var seed = random().nextLong();
        var history = new History();
        var keys = contendedKeys();
        ClientThreads.run(
                CLIENTS,
                cluster.node(0).longPatience(),
                client -> {
                    var random = new Random(seed + client);
                    for (var i = 0; i < OPERATIONS_EACH; i++) {
                        ask(cluster, history, keys, random, client + "-" + i);
                    }
                });
        var operations = history.operations();
        var verdict = HistoryCheck.judge(operations, reads());
        verdict.expectClean();
        Failures.expectNone(
                "no request to fail with all nodes up", operations, verdict.originNanos());
    }

    @Test
    @Verifies(Promise.READS_MEET_WRITES)
    default void history_whileNodesRestart_isExplainedByOneOrder() {
        var cluster = freshCluster();
        var random = random();
        var seed = random.nextLong();
        var history = new History();
        var keys = contendedKeys();
        var intervals = new ArrayList<FaultInterval>();
        var enough = new CountDownLatch(1);
        try (var clients =
                ClientThreads.start(
                        CLIENTS,
                        client -> {
                            var own = new Random(seed + client);
                            for (var i = 0; enough.getCount() > 0; i++) {
                                ask(cluster, history, keys, own, client + "-" + i);
                            }
                        })) {
            try {
                for (var i = 0; i < RESTARTS; i++) {
                    awaitMore(clients, cluster, history);
                    intervals.add(restart(cluster, Replicas.any(cluster, random)));
                }
                awaitMore(clients, cluster, history);
            } finally {
                enough.countDown(); // Also after a failed check, so that the clients end.
            }
            clients.join(cluster.node(0).longPatience());
        }
        Replicas.awaitServing(cluster);
        for (var node : cluster.nodes()) {
            var reader = new RecordingClient(node, history, System::nanoTime);
            keys.forEach(reader::get);
        }
        var operations = history.operations();
        HistoryCheck.judge(operations, reads()).expectClean();
        Failures.expectNone(
                "no request to fail, except because of the node that was restarted",
                operations.stream()
                        .filter(
                                each ->
                                        intervals.stream()
                                                .noneMatch(
                                                        interval ->
                                                                excuses(cluster, interval, each)))
                        .toList(),
                intervals.getFirst().beginNanos());
    }

    private static FaultInterval restart(ClusterUnderTest cluster, ServerUnderTest node) {
        var beginNanos = System.nanoTime();
        node.restart();
        var endNanos = System.nanoTime();
        Replicas.awaitServing(cluster);
        return new FaultInterval(node.name(), beginNanos, endNanos, System.nanoTime());
    }

    /**
     * Whether the operation may fail. If the other nodes are not a quorum, every operation needs
     * the restarted node.
     */
    private static boolean excuses(
            ClusterUnderTest cluster, FaultInterval interval, Operation operation) {
        return Replicas.majority(cluster) < cluster.size()
                ? interval.excuses(operation)
                : interval.meets(operation);
    }

    private static List<String> contendedKeys() {
        return Stream.generate(Keys::unique).limit(CONTENDED_KEYS).toList();
    }

    private static void awaitMore(
            ClientThreads clients, ClusterUnderTest cluster, History history) {
        var goal = history.doneCount() + OPERATIONS_BEFORE_RESTART;
        clients.await(
                "clients to continue",
                cluster.node(0).longPatience(),
                () -> history.doneCount() >= goal);
    }

    private static void ask(
            ClusterUnderTest cluster,
            History history,
            List<String> keys,
            Random random,
            String value) {
        var node = Replicas.any(cluster, random);
        var client = new RecordingClient(node, history, System::nanoTime);
        var key = keys.get(random.nextInt(keys.size()));
        switch (random.nextInt(6)) {
            case 0, 1 -> client.put(key, value);
            case 2 -> client.delete(key);
            default -> client.get(key);
        }
    }
}
