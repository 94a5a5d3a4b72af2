package dht.testkit.node;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The parameters of a node: name, port, directories and cluster. Immutable.
 *
 * @param name its name in transcripts
 * @param port the port where it listens, on the loopback address
 * @param dataDir the directory for its data; empty before the first start
 * @param logDir the directory for what it prints
 * @param cluster the URLs of all nodes of its cluster, including itself
 */
public record NodeSpec(String name, int port, Path dataDir, Path logDir, List<URI> cluster) {
    public static final String HOST = "127.0.0.1";

    /** The URL at which clients reach it. */
    public URI self() {
        return url(port);
    }

    /** The cluster in the form of the command-line option. */
    public String clusterList() {
        return cluster.stream().map(URI::toString).collect(Collectors.joining(","));
    }

    /** The parameters of a second node with the same data directory. */
    public NodeSpec rival(int otherPort) {
        return new NodeSpec(
                name + "-rival",
                otherPort,
                dataDir,
                logDir.resolve("rival"),
                List.of(url(otherPort)));
    }

    static URI url(int port) {
        return URI.create("http://" + HOST + ":" + port);
    }
}
