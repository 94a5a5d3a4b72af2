package dht.testkit.contract;

import dht.testkit.ClusterUnderTest;
import dht.testkit.ServerUnderTest;
import dht.testkit.concurrent.Deadline;
import dht.testkit.history.HistoryCheck;
import dht.testkit.history.Operation;
import dht.testkit.history.Operation.Outcome;
import dht.testkit.history.RegisterKind;
import dht.testkit.history.Verdict;
import dht.testkit.transcript.Mismatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * A run under load in which one node after another has a fault. The fault begins, lasts for eight
 * seconds or more, and ends. When the node has recovered, the next node has the fault.
 *
 * <p>The run checks:
 *
 * <ul>
 *   <li>{@link HistoryCheck} accepts everything that the clients saw, and a read of every key
 *       through every node at the end: no stale read, no deletion undone, no acknowledged write
 *       lost.
 *   <li>No request fails, except through the faulty node. There, requests may fail from the begin
 *       of the fault until the node can reach all nodes again.
 *   <li>During a fault, each other node continues to acknowledge writes and to answer reads.
 *   <li>Each fault shows its {@link FaultSymptom}.
 *   <li>After the last fault, all nodes come to hold the same of these keys, without a client's
 *       request.
 * </ul>
 *
 * <p>For the test's thread.
 */
final class FaultRun {
    private static final Duration CALM = Duration.ofMillis(400);

    /**
     * Five seconds longer than the timeout for a silent node, so that the run shows what the others
     * do after it, also on a busy machine.
     */
    private static final int FAULT_MILLIS_MIN = 8000;

    private static final int FAULT_MILLIS_MAX = 9000;

    /** In a long run, faults last longer. */
    private static final int FAULTS_OF_A_LONG_RUN = 6;

    private final ClusterUnderTest cluster;
    private final RegisterKind reads;
    private final Fault fault;
    private final Duration duration;
    private final Duration alikeWithin;
    private final long seed;
    private final Random random;
    private final AtomicBoolean enough = new AtomicBoolean();
    private final FaultLoad load;
    private final List<FaultInterval> intervals = new ArrayList<>();
    private final List<ServerUnderTest> unharmed = new ArrayList<>();

    private FaultRun(HistoryContract contract, Fault fault, ClusterUnderTest cluster, long seed) {
        this.cluster = cluster;
        this.reads = contract.reads();
        this.fault = fault;
        this.duration = seconds(contract, FaultContract.SECONDS, FaultContract.SECONDS_USUALLY);
        this.alikeWithin =
                seconds(contract, FaultContract.ALIKE_SECONDS, FaultContract.ALIKE_SECONDS_USUALLY);
        this.seed = seed;
        this.random = new Random(seed);
        this.load = new FaultLoad(cluster, seed, enough::get);
    }

    private static Duration seconds(HistoryContract contract, String name, int otherwise) {
        return Duration.ofSeconds(contract.parameter(name, otherwise));
    }

    /**
     * Runs the fault as often, and for as long, as the parameters of the tests say.
     *
     * @param contract says what the reads of the servers promise
     */
    static void repeat(HistoryContract contract, Fault fault, ClusterUnderTest cluster) {
        var runs = contract.parameter(FaultContract.RUNS, FaultContract.RUNS_USUALLY);
        for (var seed = contract.seed(); seed < contract.seed() + runs; seed++) {
            new FaultRun(contract, fault, cluster, seed).run();
        }
    }

    private void run() {
        awaitWhole();
        System.out.printf(
                "a node of %d is %s: testkit.seed=%d, %s%n",
                cluster.size(), fault.name(), seed, Deadline.words(duration));
        loadAndHit();
        var patience = Deadline.in(alikeWithin);
        var isAlike = patience.reached(this::isAlike);
        var afterMillis = alikeWithin.minus(patience.left()).toMillis();
        var notAlike = isAlike ? null : Healing.notAlike(cluster, load.firstKey(), load.endKey());
        load.readAll(); // Reads repair, so the nodes are compared before.
        var operations = load.history().operations();
        var verdict = HistoryCheck.judge(operations, reads);
        var alike = isAlike ? "alike" : "not alike";
        System.out.printf(
                "  %s; %s after %,d ms%n", summary(operations, verdict), alike, afterMillis);
        verdict.expectClean();
        if (notAlike != null) {
            throw notAlike;
        }
        expectServed(operations);
        expectGoingOn(operations);
        expectHarmed();
    }

    /** Of its own keys only: another test may have left a key on fewer nodes, as a client may. */
    private boolean isAlike() {
        return Healing.isAlike(cluster, load.firstKey(), load.endKey());
    }

    private void awaitWhole() {
        Replicas.awaitServing(cluster);
        Replicas.awaitReading(cluster);
    }

    private void loadAndHit() {
        var end = Deadline.in(duration);
        try (var clients = load.start()) {
            try {
                do {
                    linger(CALM);
                    interval(Replicas.any(cluster, random));
                } while (!end.passed());
                linger(CALM);
            } finally {
                enough.set(true); // Also after a failed check, so that the clients end.
            }
            clients.join(cluster.node(0).longPatience());
        }
    }

    private void interval(ServerUnderTest node) {
        var beginNanos = System.nanoTime();
        long endNanos;
        begin(node);
        try {
            var rest = Deadline.in(faultDuration());
            if (!fault.symptom().shows().test(cluster, node)) {
                unharmed.add(node);
            }
            linger(rest.left());
        } finally {
            endNanos = System.nanoTime();
            fault.end().accept(node);
        }
        awaitWhole();
        intervals.add(new FaultInterval(node.name(), beginNanos, endNanos, System.nanoTime()));
    }

    /** If the fault cannot begin as it should, as much of it as has begun is ended again. */
    private void begin(ServerUnderTest node) {
        try {
            fault.begin().accept(node);
        } catch (RuntimeException | Error failed) {
            try {
                fault.end().accept(node);
            } catch (RuntimeException | Error notBegun) {
                failed.addSuppressed(notBegun);
            }
            throw failed;
        }
    }

    private Duration faultDuration() {
        var millisMax =
                Math.max(FAULT_MILLIS_MAX, (int) duration.toMillis() / FAULTS_OF_A_LONG_RUN);
        return Duration.ofMillis(random.nextInt(FAULT_MILLIS_MIN, millisMax));
    }

    /** Waits for a fixed time, in which the clients work. There is no condition to wait for. */
    private static void linger(Duration time) {
        var unused = Deadline.in(time).reached(() -> false);
    }

    private void expectServed(List<Operation> operations) {
        Failures.expectNone(
                "no request to fail, except through the node that was " + fault.name(),
                operations.stream().filter(operation -> !isExcused(operation)).toList(),
                intervals.getFirst().beginNanos());
    }

    private boolean isExcused(Operation operation) {
        return intervals.stream().anyMatch(interval -> interval.excuses(operation));
    }

    /**
     * Called last: a server that acknowledges writes that it has not done would hide its fault
     * here.
     */
    private void expectHarmed() {
        if (!unharmed.isEmpty()) {
            throw fault.symptom().missing(unharmed.getFirst(), fault.name());
        }
    }

    private void expectGoingOn(List<Operation> operations) {
        for (var interval : intervals) {
            for (var node : cluster.nodes()) {
                if (!node.name().equals(interval.node())) {
                    expectGoingOn(operations, interval, node.name());
                }
            }
        }
    }

    private void expectGoingOn(List<Operation> operations, FaultInterval interval, String node) {
        var kinds =
                operations.stream()
                        .filter(operation -> operation.outcome() == Outcome.OK)
                        .filter(operation -> operation.node().equals(node))
                        .filter(interval::surrounds)
                        .map(Operation::isWrite)
                        .collect(Collectors.toSet());
        if (kinds.size() < 2) {
            throw new Mismatch(
                    "%s to continue to serve reads and writes while %s was %s"
                            .formatted(node, interval.node(), fault.name()),
                    kinds.isEmpty()
                            ? "neither"
                            : "only " + (kinds.contains(true) ? "writes" : "reads"));
        }
    }

    private String summary(List<Operation> operations, Verdict verdict) {
        var excused =
                operations.stream().filter(operation -> operation.outcome() != Outcome.OK).count();
        var slowestNanos =
                operations.stream()
                        .filter(operation -> !isExcused(operation))
                        .mapToLong(operation -> operation.endNanos() - operation.startNanos())
                        .max()
                        .orElse(0);
        return "%d times; %s; %,d not done; the slowest request through other nodes took %,d ms%s"
                .formatted(
                        intervals.size(),
                        verdict.describe(),
                        excused,
                        slowestNanos / 1_000_000,
                        verdict.isClean() ? inversions(operations) : "");
    }

    /** How many keys have reads that a regular register allows and an atomic one does not. */
    private String inversions(List<Operation> operations) {
        if (reads == RegisterKind.ATOMIC) {
            return "";
        }
        var inverted = HistoryCheck.judge(operations, RegisterKind.ATOMIC).violations().size();
        return "; inversions on %,d keys".formatted(inverted);
    }
}
