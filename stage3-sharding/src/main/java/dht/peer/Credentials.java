package dht.peer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.cluster.ClusterFlags;
import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import java.util.Map;
import java.util.Optional;

/**
 * What a node sends with each request to another node, and what it expects in requests from other
 * nodes. Immutable.
 *
 * <p>On the wire, as headers:
 *
 * <pre>
 *   Cluster-Topology: FINGERPRINT URL-OF-SENDER URL-OF-RECEIVER
 *   Cluster-Secret: SECRET
 * </pre>
 *
 * @param self the node that sends them
 * @param fingerprint identifies the node's view of the cluster
 * @param secret the cluster's secret, if it has one: 1 to 256 visible ASCII characters
 */
public record Credentials(NodeAddress self, Fingerprint fingerprint, Optional<String> secret) {
    static final String TOPOLOGY = "Cluster-Topology";
    static final String SECRET = "Cluster-Secret";

    private static final int SECRET_LENGTH_MAX = 256;

    /**
     * @throws IllegalArgumentException if the secret is empty, is longer than 256 characters, or
     *     has a character that is not visible ASCII
     */
    public Credentials {
        if (secret.isPresent() && !isSendable(secret.get())) {
            throw new IllegalArgumentException(
                    "--cluster-secret must be 1 to "
                            + SECRET_LENGTH_MAX
                            + " visible ASCII characters");
        }
    }

    /** The credentials of this node, from the options of its command line. */
    public static Credentials of(Topology topology, ClusterFlags cluster) {
        return new Credentials(
                topology.selfAddress(), cluster.fingerprint(topology), cluster.secret());
    }

    private static boolean isSendable(String secret) {
        return !secret.isEmpty()
                && secret.length() <= SECRET_LENGTH_MAX
                && secret.chars().allMatch(c -> c > ' ' && c < 0x7f);
    }

    /** The headers of a request to a node, and their values. */
    public Map<String, String> headers(NodeAddress receiver) {
        String topology = fingerprint.text() + ' ' + self + ' ' + receiver;
        return secret.map(text -> Map.of(TOPOLOGY, topology, SECRET, text))
                .orElse(Map.of(TOPOLOGY, topology));
    }

    /** The header lines as bytes, each with its line end. */
    byte[] headerLines(NodeAddress receiver) {
        StringBuilder lines = new StringBuilder();
        headers(receiver).forEach((name, value) -> lines.append(name + ": " + value + "\r\n"));
        return lines.toString().getBytes(ISO_8859_1);
    }
}
