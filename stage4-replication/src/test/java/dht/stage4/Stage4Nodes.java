package dht.stage4;

import dht.command.RunningServer;
import dht.command.StageCommand;
import dht.testkit.container.Containers;
import dht.testkit.node.InProcess;
import dht.testkit.node.InternalPorts;
import dht.testkit.node.JarProcess;
import dht.testkit.node.NodeFactory;
import dht.testkit.node.NodeSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Nodes of stage 4 for its tests. */
final class Stage4Nodes {
    /** A machine that stalls is not to be taken for an overload, nor for a node that is lost. */
    private static final String[] PATIENT = {"--queue-deadline=10s", "--peer-connect-timeout=3s"};

    private static final Duration PEER_TIMEOUT = Duration.ofSeconds(3);

    /** A node clears the memory for the indexes of two memtables when it starts. */
    private static final String SMALL = "--memtable-size=8m";

    private Stage4Nodes() {}

    /** In the JVM of the test, where no thread may be left behind. */
    static NodeFactory inProcess(String... more) {
        return inProcess(PEER_TIMEOUT, more);
    }

    /** The same, with another time in which a node must answer. */
    static NodeFactory inProcess(Duration peerTimeout, String... more) {
        return InProcess.of(node -> startSmall(node, peerTimeout, more));
    }

    /** The same, which serve each other on ports of their own. */
    static NodeFactory inProcess(InternalPorts ports) {
        return InProcess.of(
                node -> startSmall(node, PEER_TIMEOUT, "--internal-port=+" + ports.distance(node)));
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
        Collections.addAll(arguments, PATIENT);
        arguments.add("--peer-timeout=" + peerTimeout.toMillis() + "ms");
        arguments.add("--port=" + node.port());
        arguments.add("--data=" + node.dataDir());
        arguments.add("--self=" + node.self());
        arguments.add("--cluster=" + node.clusterList());
        Main main = new Main();
        StageCommand.lineOf(main).parseArgs(arguments.toArray(String[]::new));
        return RunningServer.start(main::start);
    }

    /** As it is shipped, each in a container of its own. */
    static NodeFactory containers(String... more) {
        Containers jar =
                Containers.of(Path.of("target/stage4-replication.jar"))
                        .jvmFlags("-Xmx128m")
                        .arguments(PATIENT)
                        .arguments("--peer-timeout=" + PEER_TIMEOUT.toMillis() + "ms")
                        .arguments(more)
                        .arguments("--insecure-internal"); // Tests ask under /internal/ too.
        return jar.withClockBehind(jar.arguments("--clock-behind=1h"));
    }

    /** As it is shipped, with little memory. */
    static NodeFactory processes(String... more) {
        JarProcess jar = jar().arguments(more);
        return jar.withLimited(jar.arguments("--workers=1", "--queue-length=2"))
                .withClockBehind(jar.arguments("--clock-behind=1h"));
    }

    private static JarProcess jar() {
        return JarProcess.of(Path.of("target/stage4-replication.jar"))
                .withClassArchive()
                .jvmFlags("-Xmx128m")
                .arguments(PATIENT)
                .arguments("--peer-timeout=" + PEER_TIMEOUT.toMillis() + "ms");
    }
}
