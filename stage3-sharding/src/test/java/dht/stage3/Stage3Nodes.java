package dht.stage3;

import dht.command.RunningServer;
import dht.command.StageCommand;
import dht.testkit.node.InProcess;
import dht.testkit.node.InternalPorts;
import dht.testkit.node.JarProcess;
import dht.testkit.node.NodeFactory;
import dht.testkit.node.NodeSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Nodes of stage 3 for its tests. */
final class Stage3Nodes {
    /** Long, so that a stall of the machine does not look like an overload. */
    private static final String PATIENT = "--queue-deadline=10s";

    /** A node clears the memory for the indexes of two memtables when it starts. */
    private static final String SMALL = "--memtable-size=8m";

    private Stage3Nodes() {}

    /** In the JVM of the test. After a stop, none of its threads may be running. */
    static NodeFactory inProcess(String... more) {
        return inProcess(Duration.ofSeconds(8), more); // The machine may be busy.
    }

    /** The same, for tests in which a node does not answer. */
    static NodeFactory inProcess(Duration peerTimeout, String... more) {
        return InProcess.of(node -> startSmall(node, peerTimeout, more));
    }

    /** The same, but the nodes serve each other on ports of their own. */
    static NodeFactory inProcess(InternalPorts ports) {
        return InProcess.of(
                node ->
                        startSmall(
                                node,
                                Duration.ofSeconds(8),
                                "--internal-port=+" + ports.distance(node)));
    }

    private static RunningServer startSmall(NodeSpec node, Duration peerTimeout, String... more)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of(more));
        arguments.add(SMALL);
        return start(node, peerTimeout, arguments.toArray(String[]::new));
    }

    /** Starts a node in this JVM, with memtables of the default size. */
    static RunningServer start(NodeSpec node, Duration peerTimeout, String... more)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of(more));
        arguments.add(PATIENT);
        arguments.add("--peer-timeout=" + peerTimeout.toMillis() + "ms");
        arguments.add("--port=" + node.port());
        arguments.add("--data=" + node.dataDir());
        arguments.add("--self=" + node.self());
        arguments.add("--cluster=" + node.clusterList());
        Main main = new Main();
        StageCommand.lineOf(main).parseArgs(arguments.toArray(String[]::new));
        return RunningServer.start(main::start);
    }

    /**
     * As it is shipped, with little memory. A node that is paused is found out with one request,
     * and one that a busy machine holds up isn't taken for paused.
     */
    static NodeFactory processes(String... more) {
        return JarProcess.of(Path.of("target/stage3-sharding.jar"))
                .withClassArchive()
                .jvmFlags("-Xmx128m")
                .arguments(PATIENT, "--peer-timeout=3s", "--peer-failures-max=1")
                .arguments(more);
    }
}
