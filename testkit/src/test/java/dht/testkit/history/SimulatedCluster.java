package dht.testkit.history;

import dht.testkit.history.Operation.Kind;
import dht.testkit.history.Operation.Outcome;
import dht.testkit.history.SimulatedReplica.Version;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A simulated cluster: replicas, coordinators, clients and a network, all in one thread and in
 * simulated time. It makes a history from a seed. The network delays messages by up to a hundred
 * times the usual time, and loses one in twenty. Each clock is wrong by a different amount, at most
 * by an hour.
 *
 * <p>A coordinator gives each write a greater stamp than all that it has seen. If a replica answers
 * that it has a newer version, the coordinator gives the write a new stamp and sends it again.
 */
final class SimulatedCluster {
    static final int REPLICAS = 3;
    static final int QUORUM = 2;
    private static final int CLIENTS = 6;
    private static final int KEYS = 4;
    private static final long TIMEOUT = 2_000;
    private static final long HOUR = 3_600_000_000L;

    private record Event(long time, long number, Runnable action) {}

    private final Random random;
    final Flaw flaw;
    final List<SimulatedReplica> replicas;
    private final int operationsMax;
    private final List<Operation> history = new ArrayList<>();
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    Comparator.comparingLong(Event::time).thenComparingLong(Event::number));
    private long now;
    private long eventCount;
    private int started;

    SimulatedCluster(long seed, Flaw flaw, int operationsMax) {
        this.random = new Random(seed);
        this.flaw = flaw;
        this.operationsMax = operationsMax;
        replicas =
                IntStream.range(0, REPLICAS)
                        .mapToObj(i -> new SimulatedReplica("node-" + (i + 1), flaw, offset(i)))
                        .toList();
    }

    /**
     * One clock is right, one is wrong by about the time of a request, and one by up to an hour.
     */
    private long offset(int replica) {
        return switch (replica) {
            case 0 -> 0;
            case 1 -> random.nextLong(-100, 100);
            default -> random.nextLong(-HOUR, HOUR);
        };
    }

    List<Operation> run() {
        IntStream.range(0, CLIENTS).forEach(_ -> after(random.nextInt(100), this::request));
        while (!events.isEmpty()) {
            var event = events.poll();
            now = event.time();
            event.action().run();
        }
        return history;
    }

    long now() {
        return now;
    }

    void after(long delay, Runnable action) {
        events.add(new Event(now + delay, eventCount++, action));
    }

    /** Delivers a message after a delay, or loses it. */
    void send(Runnable action) {
        if (random.nextInt(20) != 0) {
            var delay = random.nextInt(20) == 0 ? random.nextInt(1_000) : random.nextInt(10);
            after(1 + delay, action);
        }
    }

    private void request() {
        if (started++ >= operationsMax) {
            return;
        }
        var key = "k" + random.nextInt(KEYS);
        var coordinator = replicas.get(random.nextInt(REPLICAS));
        var start = now;
        switch (random.nextInt(6)) {
            case 0, 1 -> write(coordinator, Kind.PUT, key, "v" + started, start);
            case 2 -> write(coordinator, Kind.DELETE, key, null, start);
            default ->
                    new SimulatedRead(this, coordinator, key)
                            .begin(
                                    found ->
                                            end(
                                                    new Operation(
                                                            Kind.GET,
                                                            key,
                                                            found.value(),
                                                            coordinator.name,
                                                            start,
                                                            now,
                                                            Outcome.OK,
                                                            "")));
        }
    }

    private void write(
            SimulatedReplica coordinator, Kind kind, String key, String value, long start) {
        var isRefused = flaw == Flaw.REFUSED_BUT_STORED && random.nextInt(50) == 0;
        var stored = flaw == Flaw.VALUES_MIXED && random.nextInt(50) == 0 ? "mixed" : value;
        new SimulatedWrite(this, coordinator, key, kind == Kind.DELETE ? null : stored)
                .begin(
                        outcome ->
                                end(
                                        new Operation(
                                                kind,
                                                key,
                                                value,
                                                coordinator.name,
                                                start,
                                                now,
                                                isRefused ? Outcome.FAILED : outcome,
                                                "")));
    }

    private void end(Operation operation) {
        history.add(operation);
        after(random.nextInt(50), this::request);
    }

    /** When it gives up requests without an answer. */
    void timeout(Runnable action) {
        after(TIMEOUT, action);
    }

    boolean forgets() {
        return flaw == Flaw.WRITE_FORGOTTEN && random.nextInt(20) == 0;
    }

    boolean trustsItsStamps() {
        return flaw == Flaw.NEWER_VERSION_IGNORED || flaw == Flaw.CLOCK_NEVER_ADVANCED;
    }

    static Version newer(Version a, Version b) {
        return a.stamp() >= b.stamp() ? a : b;
    }
}
