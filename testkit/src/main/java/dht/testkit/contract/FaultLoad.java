package dht.testkit.contract;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.history.History;
import dht.testkit.history.Operation.Outcome;
import dht.testkit.history.RecordingClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The load of a fault test: clients that read and write through all nodes and record what they see.
 * Each client always uses the same node. So if a node is silent, only its own clients wait.
 *
 * <p>Most requests are for a few keys that all clients write. There a stale read is found soon, but
 * the next write hides a lost one. So each client also has its own keys, which it writes once and
 * perhaps deletes. There a lost write stays visible.
 *
 * <p>Threads may share it.
 */
final class FaultLoad {
    private static final int CLIENTS_PER_NODE = 3;
    private static final int CONTENDED_KEYS = 4;

    /**
     * The size of values of shared keys: so large that a server needs a new log file during a
     * fault.
     */
    private static final int PADDING_BYTES = 4000;

    /** The pause between requests, so that a slow machine keeps up. */
    private static final long PAUSE_NANOS = MILLISECONDS.toNanos(2);

    private static final long PAUSE_AFTER_FAILURE_NANOS = MILLISECONDS.toNanos(20);

    private final ClusterUnderTest cluster;
    private final long seed;
    private final BooleanSupplier isEnough;
    private final History history = new History();
    private final String prefix = Keys.unique() + "/";
    private final List<String> contended;
    private final Queue<String> writtenOnce = new ConcurrentLinkedQueue<>();

    FaultLoad(ClusterUnderTest cluster, long seed, BooleanSupplier isEnough) {
        this.cluster = cluster;
        this.seed = seed;
        this.isEnough = isEnough;
        this.contended = IntStream.range(0, CONTENDED_KEYS).mapToObj(i -> prefix + i).toList();
    }

    /** All keys of this load lie between this one and {@link #endKey}; no key of others does. */
    String firstKey() {
        return prefix;
    }

    String endKey() {
        return prefix + '~';
    }

    History history() {
        return history;
    }

    ClientThreads start() {
        return ClientThreads.start(CLIENTS_PER_NODE * cluster.size(), this::work);
    }

    private void work(int client) {
        var random = new Random(seed + client);
        var node = client(client % cluster.size());
        var own = new ArrayList<String>();
        for (var i = 0; !isEnough.getAsBoolean(); i++) {
            var outcome = ask(node, random, own, client + "-" + i);
            LockSupport.parkNanos(outcome == Outcome.OK ? PAUSE_NANOS : PAUSE_AFTER_FAILURE_NANOS);
        }
    }

    private Outcome ask(RecordingClient node, Random random, List<String> own, String value) {
        var key = contended.get(random.nextInt(contended.size()));
        return switch (random.nextInt(20)) {
            case 0, 1 -> putOnce(node, own, value);
            case 2 -> own.isEmpty() ? node.get(key) : node.delete(any(own, random));
            case 3, 4 -> node.get(own.isEmpty() ? key : any(own, random));
            case 5, 6, 7, 8, 9 -> node.put(key, value, PADDING_BYTES);
            case 10, 11 -> node.delete(key);
            default -> node.get(key);
        };
    }

    private Outcome putOnce(RecordingClient node, List<String> own, String value) {
        var key = prefix + "once-" + value;
        own.add(key);
        writtenOnce.add(key);
        return node.put(key, value);
    }

    private static String any(List<String> keys, Random random) {
        return keys.get(random.nextInt(keys.size()));
    }

    /** Reads every key through every node. */
    void readAll() {
        var keys = Stream.concat(contended.stream(), writtenOnce.stream()).toList();
        var readers = CLIENTS_PER_NODE * cluster.size();
        ClientThreads.run(
                readers,
                cluster.node(0).longPatience(),
                reader -> {
                    var node = client(reader % cluster.size());
                    for (var i = reader / cluster.size(); i < keys.size(); i += CLIENTS_PER_NODE) {
                        node.get(keys.get(i));
                    }
                });
    }

    private RecordingClient client(int node) {
        return new RecordingClient(cluster.node(node), history, System::nanoTime);
    }
}
