package dht.testkit.junit;

import dht.testkit.ServerUnderTest;
import dht.testkit.node.NodeFactory;
import dht.testkit.node.NodeHome;
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
        var printed =
                homes.stream()
                        .map(home -> home.node().logTail())
                        .filter(tail -> !tail.isBlank())
                        .collect(Collectors.joining("\n"));
        return new BrokenPromise(transcript.of(failure, printed), failure);
    }

    /** Told where a process that all tests share went down under this one. */
    Mismatch sharedServerDied() {
        var exitCode = sharedHome.node().exitCode();
        var got = exitCode.isPresent() ? "exit code " + exitCode.getAsInt() : "it is gone";
        return new Mismatch("the server to live on", got);
    }

    @Override
    public void close() {
        CURRENT.remove();
        views.forEach(ServerUnderTest::close);
        freshHomes.forEach(NodeHome::close);
    }
}
