package dht.testkit.allocation;

import dht.testkit.ServerUnderTest;
import dht.testkit.concurrent.Deadline;
import dht.testkit.contract.Metrics;
import dht.testkit.http.NoAnswer;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import dht.testkit.node.ClusterHome;
import dht.testkit.node.ClusterHome.ClusterList;
import dht.testkit.node.InProcess;
import dht.testkit.node.Node;
import dht.testkit.node.NodeHome;
import dht.testkit.node.NodeSpec;
import dht.testkit.node.StartFailure;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import dht.testkit.transcript.Transcript;
import java.nio.channels.OverlappingFileLockException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Random schedules of servers that run out of memory from time to time. The servers run in this
 * JVM, on real data directories, and serve many schedules before they are stopped and started
 * again.
 *
 * <ul>
 *   <li>Every request ends: it is answered with any status, or its connection is closed. A value
 *       that is answered was sent for this key.
 *   <li>When there is memory again, all open connections and all servers serve at once. Nothing is
 *       held for requests that have ended.
 *   <li>A stop ends, and leaves no thread behind.
 *   <li>After a start, each key has its newest acknowledged version, or a later one that was sent.
 * </ul>
 *
 * <p>A thread that ends by a failure that no code catches would end the process of a server. Here
 * it ends the schedule, and the servers are started again. The result tells how many there were.
 *
 * <p>For one thread at a time.
 */
public abstract class ServerSchedule implements LongConsumer, AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Less than the servers wait for requests that have not ended, so that a stop shows them. */
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(7);

    private static final int CLIENTS = 4;
    private static final int ROUNDS = 5;

    /** Servers are stopped after this many schedules on average. */
    private static final int SCHEDULES_PER_LIFE = 25;

    private final ScheduledServers setting;
    private final UncaughtFailures uncaught = new UncaughtFailures();
    private final Map<String, Integer> outcomes = new TreeMap<>();
    private final Map<String, Integer> starts = new TreeMap<>();
    private final List<ScheduledClient> clients =
            IntStream.range(0, CLIENTS).mapToObj(ScheduledClient::new).toList();
    private final List<KeyRecord> probes;

    private Transcript transcript;
    private ClusterHome home; // Null before the first start.
    private List<ServerUnderTest> servers;
    private SplittableRandom random;
    private long startedBeforeSeed;

    protected ServerSchedule(ScheduledServers setting) {
        this.setting = setting;
        this.probes =
                IntStream.range(0, setting.count())
                        .mapToObj(i -> new KeyRecord("probe-" + i))
                        .toList();
    }

    @Override
    public void accept(long seed) {
        random = new SplittableRandom(seed);
        try {
            if (home == null) {
                uncaught.install();
                create(seed);
            }
            run(seed);
        } catch (RuntimeException | Error e) {
            Allocations.heal();
            throw new AssertionError(
                    "%s%n  since the servers have started: -Ddht.seed=%d -Ddht.schedules=%d; threads that ended: %s%s"
                            .formatted(
                                    transcript.of(e, ""),
                                    startedBeforeSeed,
                                    seed - startedBeforeSeed + 1,
                                    uncaught,
                                    isStuck(e) ? whereStuck() : ""),
                    e);
        }
    }

    private static boolean isStuck(Throwable failure) {
        return failure instanceof NoAnswer none && !none.isGone();
    }

    /**
     * What the servers hold, and where all platform threads are: the same seed may not show it
     * again.
     */
    private String whereStuck() {
        var text = new StringBuilder();
        setting.held()
                .forEach(
                        (name, held) ->
                                text.append("%n  %s: %d".formatted(name, held.getAsLong())));
        Thread.getAllStackTraces()
                .forEach(
                        (thread, frames) -> {
                            text.append(
                                    "%n  %s: %s".formatted(thread.getName(), thread.getState()));
                            for (StackTraceElement frame : frames) {
                                text.append("%n      at %s".formatted(frame));
                            }
                        });
        return text.toString();
    }

    private void run(long seed) {
        try {
            askWithoutMemory();
        } catch (NoAnswer e) {
            if (e.isGone() || !uncaught.isAny()) {
                throw e;
            }
        }
        Allocations.heal();
        if (uncaught.isAny()) {
            uncaught.forget();
            stop();
            start(seed + 1);
            return;
        }
        expectNothingHeld();
        expectServing();
        if (random.nextInt(SCHEDULES_PER_LIFE) == 0) {
            Deadline deadline = Deadline.in(STOP_PATIENCE);
            stop();
            if (deadline.passed()) {
                throw new Mismatch("a stop that waits for no request", "a longer one");
            }
            start(seed + 1);
        }
    }

    private void askWithoutMemory() {
        for (int round = 0; round < ROUNDS; round++) {
            if (random.nextInt(4) > 0) {
                long count = random.nextInt(3) == 0 ? random.nextInt(50) : 1;
                Allocations.fail(random.nextInt(1 << random.nextInt(11)), count);
            }
            int together = random.nextInt(CLIENTS) + 1;
            for (ScheduledClient client : clients.subList(0, together)) {
                if (!client.isConnected()) {
                    client.connectTo(servers.get(random.nextInt(servers.size())));
                }
                client.sendAny(random, setting.parameters(), setting.strictParameter());
            }
            receiveAll();
        }
    }

    private void receiveAll() {
        for (ScheduledClient client : clients) {
            if (client.isAwaitingAnswer()) {
                outcomes.merge(client.receive(), 1, Integer::sum);
            }
        }
    }

    /** Waits until all places and budgets are given back. */
    private void expectNothingHeld() {
        setting.held()
                .forEach(
                        (name, held) -> {
                            if (!Deadline.in(PATIENCE).reached(() -> held.getAsLong() == 0)) {
                                throw new Mismatch(name + " to be 0", "" + held.getAsLong());
                            }
                        });
        for (ServerUnderTest server : servers) {
            setting.idleGauges().forEach(gauge -> expectZero(server, gauge));
        }
    }

    private static void expectZero(ServerUnderTest server, String gauge) {
        if (!Deadline.in(PATIENCE).reached(() -> Metrics.sum(server, gauge) == 0)) {
            throw new Mismatch(
                    "%s of %s to be 0".formatted(gauge, server.name()),
                    "" + Metrics.sum(server, gauge));
        }
    }

    /** Every open connection and every server serves each kind of request. */
    private void expectServing() {
        for (ScheduledClient client : clients) {
            if (client.isConnected()) {
                client.sendRead(random, setting.strictParameter());
            }
        }
        for (ScheduledClient client : clients) {
            if (client.isAwaitingAnswer()) {
                String outcome = client.receive();
                if (!List.of("GET 200", "GET 404", "GET closed").contains(outcome)) {
                    throw new Mismatch("a read on an open connection to succeed", outcome);
                }
            }
        }
        for (int i = 0; i < servers.size(); i++) {
            probe(servers.get(i), probes.get(i));
        }
    }

    private void probe(ServerUnderTest server, KeyRecord key) {
        String target = ScheduledClient.target(key, setting.strictParameter());
        int bytes = ScheduledClient.anySize(random);
        serve(server, ScheduledClient.put(key, target, bytes)).expectStatus(201);
        key.acknowledge();
        key.expectNewest(serve(server, Request.get(target)).expectStatus(200));
        serve(server, Request.get(Target.entities("a", "z"))).expectStatus(200);
        if (random.nextBoolean()) {
            serve(server, ScheduledClient.deletion(key, target)).expectStatus(202);
            key.acknowledge();
        }
    }

    /** Asks again while the storage, or another node, makes up for what it could not do. */
    private static Response serve(ServerUnderTest server, Request request) {
        Deadline deadline = Deadline.in(PATIENCE);
        Response answer = server.ask(request);
        while (answer.status() >= 500 && !deadline.passed()) {
            answer = server.ask(request);
        }
        return answer;
    }

    private void create(long seed) {
        begin(seed);
        home =
                ClusterHome.start(
                        InProcess.of(this::startServer),
                        "schedule",
                        setting.count(),
                        ClusterList.ROTATED);
        useServers();
        expectAllKept();
    }

    private AutoCloseable startServer(NodeSpec node) throws Exception {
        String argument = argumentOf(node);
        starts.merge(argument, 1, Integer::sum);
        return setting.starter().start(node, argument);
    }

    /** Depends only on the node and on the seed with which a failure is repeated. */
    private String argumentOf(NodeSpec node) {
        var drawn = new SplittableRandom(startedBeforeSeed + node.name().hashCode());
        return setting.arguments().get(drawn.nextInt(setting.arguments().size()));
    }

    private void begin(long seed) {
        transcript = new Transcript(getClass().getName(), Promise.ACKNOWLEDGED_SURVIVES);
        startedBeforeSeed = seed;
    }

    private void useServers() {
        servers =
                home.nodes().stream()
                        .map(node -> new ServerUnderTest(node, transcript, PATIENCE))
                        .toList();
    }

    private void stop() {
        clients.forEach(ScheduledClient::close);
        servers.forEach(ServerUnderTest::close);
        nodes().forEach(Node::requestStop);
        nodes().forEach(Node::awaitStop);
        for (Node node : nodes()) {
            if (!Deadline.in(PATIENCE).reached(() -> node.leftBehind().isEmpty())) {
                throw new Mismatch("a stop leaves nothing behind", node.leftBehind().toString());
            }
        }
        Allocations.forgetRecorded();
    }

    private void start(long nextSeed) {
        begin(nextSeed);
        nodes().forEach(ServerSchedule::startAgain);
        useServers();
        expectAllKept();
    }

    /**
     * The threads of connections may still be closing what they had read when the stop returns, and
     * a file is locked until then. A file that stays locked fails the schedule.
     */
    private static void startAgain(Node node) {
        Deadline deadline = Deadline.in(PATIENCE);
        while (true) {
            try {
                node.start();
                return;
            } catch (StartFailure e) {
                if (!(e.getCause() instanceof OverlappingFileLockException) || deadline.passed()) {
                    throw e;
                }
            }
        }
    }

    private List<Node> nodes() {
        return home.nodes().stream().map(NodeHome::node).toList();
    }

    /** Reads every key through any server. */
    private void expectAllKept() {
        Stream.concat(clients.stream().flatMap(client -> client.keys().stream()), probes.stream())
                .forEach(
                        key ->
                                key.expectNewest(
                                        read(servers.get(random.nextInt(servers.size())), key)));
    }

    private Response read(ServerUnderTest server, KeyRecord key) {
        String target = ScheduledClient.target(key, setting.strictParameter());
        return serve(server, Request.get(target)).expectStatus(200, 404);
    }

    /** Stops the servers, and says what happened in all schedules. */
    @Override
    public void close() {
        uncaught.uninstall();
        if (home != null) {
            servers.forEach(ServerUnderTest::close);
            home.close();
        }
        System.out.printf(
                "%s: starts: %s; allocations that failed: %,d of %,d; threads that ended by it: %s; requests: %s%n",
                getClass().getName(),
                starts,
                Allocations.failedCount(),
                Allocations.count(),
                uncaught,
                outcomes);
    }
}
