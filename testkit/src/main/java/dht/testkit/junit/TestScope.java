package dht.testkit.junit;

import dht.testkit.ServerUnderTest;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.NoAnswer;
import dht.testkit.node.Ability;
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
import java.util.Random;
import java.util.stream.Collectors;

/**
 * What lasts for one test: its transcript, its view of the shared server, its fresh servers. For
 * the test's thread.
 */
final class TestScope implements AutoCloseable {
    private static final ThreadLocal<TestScope> CURRENT = new ThreadLocal<>();

    /** How long a process that drops its connections may take to be seen to have ended. */
    private static final Duration ENDING = Duration.ofMillis(300);

    private final NodeFactory factory;
    private final NodeHome sharedHome;
    private final Transcript transcript;
    private final Duration patience;
    private final long seed;

    private final ServerUnderTest shared;
    private final List<NodeHome> freshHomes = new ArrayList<>();
    private final List<ServerUnderTest> views = new ArrayList<>();

    TestScope(
            NodeFactory factory,
            NodeHome sharedHome,
            Transcript transcript,
            Duration patience,
            long seed) {
        this.factory = factory;
        this.sharedHome = sharedHome;
        this.transcript = transcript;
        this.patience = patience;
        this.seed = seed;
        this.shared = view(sharedHome);
        CURRENT.set(this);
    }

    static TestScope current() {
        var scope = CURRENT.get();
        if (scope == null) {
            throw new IllegalStateException(
                    "outside of a test, or on a thread that the test has started");
        }
        return scope;
    }

    ServerUnderTest shared() {
        return shared;
    }

    ServerUnderTest fresh() {
        var home = NodeHome.start(factory, "fresh-" + (freshHomes.size() + 1));
        freshHomes.add(home);
        return view(home);
    }

    Random random() {
        transcript.note("random, testkit.seed=" + seed);
        return new Random(seed);
    }

    private ServerUnderTest view(NodeHome home) {
        var view = new ServerUnderTest(home, transcript, patience);
        views.add(view);
        return view;
    }

    /** The failure with all that a reader needs. */
    BrokenPromise explain(Throwable failure) {
        // A test with servers of its own is about those.
        var homes = freshHomes.isEmpty() ? List.of(sharedHome) : freshHomes;
        if (failure instanceof NoAnswer none && none.isGone()) {
            homes.forEach(home -> noteEnd(home.node()));
        }
        // A server that didn't start has said why; what others print doesn't matter then.
        var printed = failure instanceof StartFailure ? "" : printedBy(homes);
        return new BrokenPromise(transcript.of(failure, printed), failure);
    }

    private static String printedBy(List<NodeHome> homes) {
        return homes.stream()
                .map(home -> home.node().logTail())
                .filter(tail -> !tail.isBlank())
                .collect(Collectors.joining("\n"));
    }

    /** A process that drops its connections is perhaps ending. */
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

    /** Told where a process that all tests share went down under this one. */
    Mismatch sharedServerDied() {
        return new Mismatch(
                "the server to live on", "it is down, " + exitCodeOf(sharedHome.node()));
    }

    @Override
    public void close() {
        CURRENT.remove();
        views.forEach(ServerUnderTest::close);
        freshHomes.forEach(NodeHome::close);
    }
}
