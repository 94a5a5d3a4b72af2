package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.node.ClusterHome;
import dht.testkit.node.JarProcess;
import dht.testkit.node.Node;
import dht.testkit.node.NodeFactory;
import dht.testkit.node.NodeSpec;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import dht.testkit.transcript.Transcript;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The promises of two nodes that know each other by names. A file replaces the name service, which
 * every JVM supports. The second name first has no address or a wrong one, and then gets the
 * address of the node.
 */
public interface NamesContract {
    Duration PATIENCE = Duration.ofSeconds(60);

    /** Unless the server says otherwise, its JVM remembers names for much longer than that. */
    String REMEMBERED = "networkaddress.cache.ttl=3600\nnetworkaddress.cache.negative.ttl=3600\n";

    Duration ANSWER_PATIENCE = Duration.ofSeconds(10);

    /** Servers of the stage, without options that depend on the cluster. */
    JarProcess servers();

    @Test
    default void put_whenANameIsKnownAtLast_reachesTheNode(@TempDir Path directory)
            throws IOException {
        reachesTheSecondNode(directory, "");
    }

    @Test
    default void put_whenANameLeadsToANewAddress_reachesTheNode(@TempDir Path directory)
            throws IOException {
        reachesTheSecondNode(directory, "127.0.0.99 node-2\n");
    }

    private void reachesTheSecondNode(Path directory, String wrongLine) throws IOException {
        Path names = directory.resolve("names");
        write(names, "127.0.0.1 node-1\n" + wrongLine);
        Path security = Files.writeString(directory.resolve("security"), REMEMBERED);
        var named =
                named(
                        servers()
                                .jvmFlags(
                                        "-Djdk.net.hosts.file=" + names,
                                        "-Djava.security.properties=" + security));
        try (var home = ClusterHome.start(named, "node", 2, (all, _) -> all)) {
            Node asked = home.nodes().getFirst().node();
            Deadline.in(PATIENCE)
                    .await("a write fails while a name is wrong", () -> !putsAll(asked));
            write(names, "127.0.0.1 node-1 node-2\n");
            Deadline.in(PATIENCE)
                    .await("all writes succeed under the right name", () -> putsAll(asked));
        }
    }

    /** Under another name, so that a server never reads half a file. */
    private static void write(Path names, String lines) throws IOException {
        Path next = names.resolveSibling("next");
        Files.writeString(next, lines);
        Files.move(next, names, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Nodes whose cluster has names instead of addresses. */
    private static NodeFactory named(JarProcess servers) {
        return spec -> {
            List<String> urls =
                    IntStream.range(0, spec.cluster().size())
                            .mapToObj(
                                    i ->
                                            "http://node-%d:%d"
                                                    .formatted(
                                                            i + 1, spec.cluster().get(i).getPort()))
                            .toList();
            String self = urls.get(spec.cluster().indexOf(spec.self()));
            var alone =
                    new NodeSpec(
                            spec.name(),
                            spec.port(),
                            spec.dataDir(),
                            spec.logDir(),
                            List.of(spec.self()));
            return servers.arguments("--self=" + self, "--cluster=" + String.join(",", urls))
                    .create(alone);
        };
    }

    /** Enough keys that each node is asked for some, whatever the placement. */
    private static boolean putsAll(Node asked) {
        return IntStream.range(0, 16).allMatch(_ -> puts(asked.spec()));
    }

    private static boolean puts(NodeSpec node) {
        var unread = new Transcript("names", Promise.ANY_NODE_ANSWERS);
        var request = Request.put(Target.entity(Keys.unique()), Values.small());
        try (var connection =
                Connection.open(
                        node.self(),
                        node.name(),
                        Connection.DEFAULT_BUFFER,
                        ANSWER_PATIENCE,
                        unread)) {
            return connection.send(request).receive().status() == 201;
        } catch (Mismatch _) {
            return false;
        }
    }
}
