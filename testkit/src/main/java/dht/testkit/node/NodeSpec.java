package dht.testkit.node;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a node is told when it starts. Immutable.
 *
 * @param name how transcripts call it
 * @param port where it listens, on the loopback address
 * @param dataDir what it stores; empty before its first start
 * @param logDir what it prints
 * @param cluster every node of its cluster, itself included
 */
public record NodeSpec(String name, int port, Path dataDir, Path logDir, List<URI> cluster) {
    public static final String HOST = "127.0.0.1";

    /** Where it is reached. */
    public URI self() {
        return url(port);
    }

    /** The cluster as its command line takes it. */
    public String clusterList() {
        return cluster.stream().map(URI::toString).collect(Collectors.joining(","));
    }

    /** The same data directory, claimed by another server. */
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
