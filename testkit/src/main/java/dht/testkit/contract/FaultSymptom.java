package dht.testkit.contract;

import dht.testkit.ClusterUnderTest;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.NoAnswer;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import dht.testkit.node.Node;
import dht.testkit.transcript.Mismatch;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.BiPredicate;

/**
 * A sign, visible to clients, that a node has a fault. It is checked because a run whose fault did
 * not happen would prove nothing. It writes keys that no client of the run uses. Immutable.
 *
 * @param words the sign in words
 * @param shows whether the node of the cluster shows the sign
 */
record FaultSymptom(String words, BiPredicate<ClusterUnderTest, ServerUnderTest> shows) {
    private static final int SMALL_BYTES = 16;

    private static final int LARGE_BYTES = 2 << 20;

    /** Together larger than the log space that a server has allocated in advance. */
    private static final int LARGE_WRITES_MAX = 160;

    /** How long writes must be slow: longer than by accident, and shorter than a fault. */
    private static final Duration SLOW_WATCH = Duration.ofSeconds(3);

    private static final Duration BEHIND_MIN = Duration.ofMinutes(59);

    /** The sign of a node that does not answer other nodes. */
    static final FaultSymptom NO_ANSWER =
            new FaultSymptom(
                    "a write on all nodes fails, and names it",
                    (cluster, node) -> isMissed(cluster, node, Keys.unique(), SMALL_BYTES));

    /** The sign of a full disk. Small values may still fit, so this writes large ones. */
    static final FaultSymptom NO_ROOM =
            new FaultSymptom(
                    "one of several large writes on all nodes fails, and names it",
                    FaultSymptom::hasNoRoom);

    static final FaultSymptom SLOW =
            new FaultSymptom(
                    "every write on all nodes through it takes %d ms or more"
                            .formatted(Node.SLOW_MILLIS_MIN),
                    (cluster, node) ->
                            !Deadline.in(SLOW_WATCH).reached(() -> isQuick(cluster, node)));

    /**
     * The sign of a clock that is behind. The node must not have seen a stamp of another node yet,
     * because its clock moves past each stamp that it sees.
     */
    static final FaultSymptom CLOCK_BEHIND =
            new FaultSymptom(
                    "it stamps a write with a time an hour ago", FaultSymptom::stampsThePast);

    /** The sign of a node that had damaged blocks, and has received their keys from the others. */
    static final FaultSymptom MENDED =
            new FaultSymptom(
                    "its metrics count a damaged block that it has mended",
                    (_, node) ->
                            Deadline.in(node.longPatience())
                                    .reached(() -> DamagedTables.mended(node) > 0));

    /** The failure to report if the sign is missing. */
    Mismatch missing(ServerUnderTest node, String fault) {
        return new Mismatch(
                "%s to be %s: %s".formatted(node.name(), fault, words),
                "no effect of the fault on " + node.name());
    }

    /** Writes the same key again and again, so that the other nodes need little space. */
    private static boolean hasNoRoom(ClusterUnderTest cluster, ServerUnderTest node) {
        var key = Keys.unique();
        for (var i = 0; i < LARGE_WRITES_MAX; i++) {
            node.fillDisk(); // Fills the space that a compaction has freed.
            if (isMissed(cluster, node, key, LARGE_BYTES)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isMissed(
            ClusterUnderTest cluster, ServerUnderTest node, String key, int valueBytes) {
        var other = cluster.others(node).getFirst();
        try {
            var response = writeOnAll(cluster, other, key, valueBytes);
            return response.status() == 504 && Replicas.isNamed(node, response);
        } catch (NoAnswer none) {
            return !none.isGone(); // It still waits for the node.
        }
    }

    private static boolean isQuick(ClusterUnderTest cluster, ServerUnderTest node) {
        var startNanos = System.nanoTime();
        try {
            writeOnAll(cluster, node, Keys.unique(), Node.SLOW_BYTES);
        } catch (NoAnswer _) {
            return false;
        }
        var took = Duration.ofNanos(System.nanoTime() - startNanos);
        return took.toMillis() < Node.SLOW_MILLIS_MIN;
    }

    private static boolean stampsThePast(ClusterUnderTest cluster, ServerUnderTest node) {
        var key = Keys.unique();
        Deadline.in(node.patience())
                .await(
                        node.name() + " to reach all nodes",
                        () -> writeOnAll(cluster, node, key, SMALL_BYTES).status() == 201);
        var stored = node.ask(Request.get(Target.internalEntity(key))).expectStatus(200);
        var stampMicros = Long.parseLong(stored.header("Timestamp-Micros").orElseThrow());
        var stamp = Instant.EPOCH.plus(stampMicros, ChronoUnit.MICROS);
        return stamp.plus(BEHIND_MIN).isBefore(Instant.now());
    }

    private static Response writeOnAll(
            ClusterUnderTest cluster, ServerUnderTest node, String key, int valueBytes) {
        var all = cluster.size();
        return Replicas.put(node, key, Values.ofSize(valueBytes), all, all);
    }
}
