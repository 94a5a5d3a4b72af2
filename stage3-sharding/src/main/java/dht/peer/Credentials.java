package dht.peer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.cluster.ClusterFlags;
import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import java.util.Map;
import java.util.Optional;

/**
 * What a node shows with each request to another, and what it wants to see when it is asked.
 * Immutable.
 *
 * <p>On the wire, as headers:
 *
 * <pre>
 *   Cluster-Topology: FINGERPRINT URL-OF-WHO-ASKS
 *   Cluster-Secret: SECRET
 * </pre>
 *
 * @param self who shows it
 * @param fingerprint what it takes the cluster for
 * @param secret where the cluster has one: visible ASCII
 */
public record Credentials(NodeAddress self, Fingerprint fingerprint, Optional<String> secret) {
    static final String TOPOLOGY = "Cluster-Topology";
    static final String SECRET = "Cluster-Secret";

    private static final int SECRET_LENGTH_MAX = 256;

    /**
     * @throws IllegalArgumentException if the secret cannot be sent in a header
     */
    public Credentials {
        if (secret.isPresent() && !isSendable(secret.get())) {
            throw new IllegalArgumentException(
                    "--cluster-secret must be 1 to "
                            + SECRET_LENGTH_MAX
                            + " visible ASCII characters");
        }
    }

    /** What this node shows, by the options of its command line. */
    public static Credentials of(Topology topology, ClusterFlags cluster) {
        return new Credentials(
                topology.selfAddress(), cluster.fingerprint(topology), cluster.secret());
    }

    private static boolean isSendable(String secret) {
        return !secret.isEmpty()
                && secret.length() <= SECRET_LENGTH_MAX
                && secret.chars().allMatch(c -> c > ' ' && c < 0x7f);
    }

    /** By their names. */
    public Map<String, String> headers() {
        String topology = fingerprint.text() + ' ' + self;
        return secret.map(text -> Map.of(TOPOLOGY, topology, SECRET, text))
                .orElse(Map.of(TOPOLOGY, topology));
    }

    /** Header lines, each with its end. */
    byte[] headerLines() {
        StringBuilder lines = new StringBuilder();
        headers().forEach((name, value) -> lines.append(name + ": " + value + "\r\n"));
        return lines.toString().getBytes(ISO_8859_1);
    }
}
