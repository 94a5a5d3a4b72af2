package dht.testkit.junit;

import dht.testkit.ClusterUnderTest;
import dht.testkit.ServerUnderTest;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.NoAnswer;
import dht.testkit.node.Ability;
import dht.testkit.node.ClusterHome;
import dht.testkit.node.ClusterHome.ClusterList;
import dht.testkit.node.DiskKind;
import dht.testkit.node.Node;
import dht.testkit.node.NodeFactory;
import dht.testkit.node.NodeHome;
import dht.testkit.node.StartFailure;
import dht.testkit.transcript.BrokenPromise;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Transcript;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What belongs to one test: its transcript, its view of the shared server, and its fresh servers.
 * For the thread of the test only.
 */
final class TestScope implements AutoCloseable {
    private static final ThreadLocal<TestScope> CURRENT = new ThreadLocal<>();

    /** How long to wait for the end of a process that has closed its connections. */
    private static final Duration ENDING = Duration.ofMillis(300);

    private final NodeFactory factory;
    private final int nodeCount;
    private final ClusterHome sharedHome;
    private final Transcript transcript;
    private final Duration patience;
    private final long seed;
    private final Function<String, Optional<Integer>> parameters;

    private final ClusterUnderTest shared;
    private final List<ClusterHome> freshHomes = new ArrayList<>();
    private final List<ServerUnderTest> views = new ArrayList<>();

    TestScope(
            Contract contract,
            ClusterHome sharedHome,
            Transcript transcript,
            Duration patience,
            long seed,
            Function<String, Optional<Integer>> parameters) {
        this.factory = contract.servers();
        this.nodeCount = contract.nodeCount();
        this.sharedHome = sharedHome;
        this.transcript = transcript;
        this.patience = patience;
        this.seed = seed;
        this.parameters = parameters;
        this.shared = view(sharedHome);
        CURRENT.set(this);
    }

    static TestScope current() {
        var scope = CURRENT.get();
        if (scope == null) {
            throw new IllegalStateException(
                    "called outside of a test, or on a thread that the test has started: call it on the thread of the test");
        }
        return scope;
    }

    ServerUnderTest shared() {
        return shared.node(0);
    }

    ClusterUnderTest sharedCluster() {
        return shared;
    }

    boolean isSharedClusterRunning() {
        return sharedHome.isRunning();
    }

    ServerUnderTest fresh() {
        return fresh(factory);
    }

    ServerUnderTest fresh(NodeFactory kind) {
        return freshCluster(kind, ClusterList.ROTATED).node(0);
    }

    ClusterUnderTest freshCluster(ClusterList clusterList) {
        return freshCluster(factory, clusterList);
    }

    ClusterUnderTest freshCluster(NodeFactory kind, DiskKind disk) {
        return freshCluster(kind, ClusterList.ROTATED, disk);
    }

    private ClusterUnderTest freshCluster(NodeFactory kind, ClusterList clusterList) {
        return freshCluster(kind, clusterList, DiskKind.SHARED);
    }

    private ClusterUnderTest freshCluster(
            NodeFactory kind, ClusterList clusterList, DiskKind disk) {
        var name = "fresh-" + (freshHomes.size() + 1);
        var home = ClusterHome.start(kind, name, nodeCount, clusterList, disk);
        freshHomes.add(home);
        return view(home);
    }

    long seed() {
        return seed;
    }

    int parameter(String name, int otherwise) {
        return parameters.apply(name).orElse(otherwise);
    }

    Random random() {
        transcript.note("random, testkit.seed=" + seed);
        return new Random(seed);
    }

    private ClusterUnderTest view(ClusterHome home) {
        var nodes =
                home.nodes().stream()
                        .map(node -> new ServerUnderTest(node, transcript, patience))
                        .toList();
        views.addAll(nodes);
        return new ClusterUnderTest(nodes);
    }

    /** The failure with its transcript and what the servers have printed. */
    BrokenPromise explain(Throwable failure) {
        // A test with fresh servers does not use the shared ones.
        var homes = freshHomes.isEmpty() ? List.of(sharedHome) : freshHomes;
        var nodes =
                homes.stream().flatMap(home -> home.nodes().stream()).map(NodeHome::node).toList();
        if (failure instanceof NoAnswer none && none.isGone()) {
            nodes.forEach(this::noteEnd);
        }
        // A server that did not start has printed the reason; what the others print does not
        // matter.
        var printed = failure instanceof StartFailure ? "" : printedBy(nodes);
        return new BrokenPromise(transcript.of(failure, printed), failure);
    }

    private static String printedBy(List<Node> nodes) {
        return nodes.stream()
                .filter(node -> !node.logTail().isBlank())
                .map(node -> nodes.size() == 1 ? node.logTail() : namedLogTail(node))
                .collect(Collectors.joining("\n"));
    }

    private static String namedLogTail(Node node) {
        return node.spec().name() + ":\n" + node.logTail();
    }

    /**
     * Records that a process has ended. It waits a moment, because a process that drops its
     * connections may be ending.
     */
    private void noteEnd(Node node) {
        var isProcess = node.whyNot(Ability.EXIT_CODE).isEmpty();
        if (isProcess && Deadline.in(ENDING).reached(() -> !node.isRunning())) {
            transcript.note(node.spec().name() + " is down, " + exitCodeOf(node));
        }
    }

    private static String exitCodeOf(Node node) {
        return "exit code "
                + node.exitCode().stream().mapToObj(String::valueOf).findFirst().orElse("unknown");
    }

    /** The failure to report if a shared process has ended during this test. */
    Mismatch sharedServerDied() {
        var dead =
                sharedHome.nodes().stream()
                        .map(NodeHome::node)
                        .filter(node -> !node.isRunning())
                        .map(node -> node.spec().name() + " is down, " + exitCodeOf(node))
                        .collect(Collectors.joining("; "));
        return new Mismatch("the server to run on", dead);
    }

    @Override
    public void close() {
        CURRENT.remove();
        views.forEach(ServerUnderTest::close);
        freshHomes.forEach(ClusterHome::close);
    }
}
