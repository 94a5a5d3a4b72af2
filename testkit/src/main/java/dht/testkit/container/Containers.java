package dht.testkit.container;

import dht.testkit.node.Node;
import dht.testkit.node.NodeFactory;
import dht.testkit.node.NodeSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * Creates nodes that run in containers, from a stage's jar. Their network can be cut and slowed
 * down. Without a Docker daemon, the tests are not run, and their result gives the reason.
 * Immutable.
 */
public final class Containers implements NodeFactory {
    private static final List<String> FLAGS =
            List.of(
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "-XX:+ExitOnOutOfMemoryError");

    private final Path jar;
    private final List<String> jvmFlags;
    private final List<String> arguments;

    private Containers(Path jar, List<String> jvmFlags, List<String> arguments) {
        this.jar = jar;
        this.jvmFlags = jvmFlags;
        this.arguments = arguments;
    }

    /** A jar which takes {@code --host H --port P --data DIR}. */
    public static Containers of(Path jar) {
        return new Containers(jar, FLAGS, List.of());
    }

    /** With more flags for the JVM, such as {@code -Xmx128m}. */
    public Containers jvmFlags(String... more) {
        return new Containers(jar, join(jvmFlags, more), arguments);
    }

    /** With more arguments for the server. */
    public Containers arguments(String... more) {
        return new Containers(jar, jvmFlags, join(arguments, more));
    }

    @Override
    public Node create(NodeSpec spec) {
        Docker.whyNot()
                .ifPresent(
                        reason -> {
                            throw new TestAbortedException(reason);
                        });
        return new ContainerNode(spec, ServerImage.of(jar), command(spec));
    }

    private List<String> command(NodeSpec spec) {
        var server =
                Stream.of(
                        "-jar",
                        "/server.jar",
                        "--host=0.0.0.0",
                        "--port=" + spec.port(),
                        "--data=" + ContainerNode.DATA,
                        "--self=" + ClusterNetwork.url(spec.self()),
                        "--cluster=" + clusterList(spec));
        return Stream.of(jvmFlags.stream(), server, arguments.stream())
                .flatMap(part -> part)
                .toList();
    }

    private static String clusterList(NodeSpec spec) {
        return String.join(
                ",",
                spec.cluster().stream().map(ClusterNetwork::url).map(String::valueOf).toList());
    }

    private static List<String> join(List<String> some, String... more) {
        return Stream.concat(some.stream(), Stream.of(more)).toList();
    }
}
