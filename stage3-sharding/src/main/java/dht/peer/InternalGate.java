package dht.peer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.http.HttpRequest;
import dht.http.Response;
import dht.http.Router;
import dht.http.Status;
import java.security.MessageDigest;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks each request from another node. The sender must know the cluster's secret, must have the
 * same view of the cluster, and must have addressed the request to this node. The last check finds
 * wrong names and ports. With a wrong name or port, the addresses of two nodes may lead to this
 * node. This node would then answer for two nodes, and a quorum would count it twice. A request
 * without the topology header, such as one typed by hand, needs only the secret.
 *
 * <p>Thread-safe.
 */
public final class InternalGate implements Router.Gate {
    /** The prefix of the paths that this gate guards. */
    public static final String PREFIX = "/internal/";

    private static final Logger LOG = LoggerFactory.getLogger(InternalGate.class);
    private static final Response FORBIDDEN =
            Response.of(
                    Status.FORBIDDEN,
                    "wrong or missing %s: start all nodes with the same --cluster-secret"
                            .formatted(Credentials.SECRET));

    private final String self;
    private final String fingerprint;
    private final String receiverSuffix; // How the topology header of a request to this node ends.
    private final byte[] secret; // Null if the cluster has no secret.
    private final AtomicBoolean mismatchLogged = new AtomicBoolean();
    private final AtomicBoolean wrongNodeLogged = new AtomicBoolean();

    public InternalGate(Credentials credentials) {
        this.self = credentials.self().toString();
        this.fingerprint = credentials.fingerprint().text() + ' ';
        this.receiverSuffix = " " + self;
        this.secret = credentials.secret().map(text -> text.getBytes(ISO_8859_1)).orElse(null);
    }

    @Override
    public Response refusal(HttpRequest request) {
        if (secret != null && !isSecret(request.header(Credentials.SECRET))) {
            return FORBIDDEN;
        }
        String topology = request.header(Credentials.TOPOLOGY);
        if (topology == null) {
            return null;
        }
        if (!topology.startsWith(fingerprint)) {
            return mismatch(topology);
        }
        return topology.endsWith(receiverSuffix) ? null : wrongNode(topology);
    }

    /**
     * Compares in a time that does not depend on which characters are right. Otherwise an attacker
     * could measure how many of the first characters are right.
     */
    private boolean isSecret(String sent) {
        return sent != null && MessageDigest.isEqual(secret, sent.getBytes(ISO_8859_1));
    }

    private Response mismatch(String topology) {
        String[] words = topology.split(" ", 3);
        String sender = words[Math.min(1, words.length - 1)];
        return misdirected(
                "node %s and node %s have different views of the cluster: start both with the same --cluster, --placement and --virtual-nodes"
                        .formatted(sender, self),
                mismatchLogged);
    }

    private Response wrongNode(String topology) {
        return misdirected(
                "node %s got a request for another node (%s: %s): the name or port of that node leads to this one: correct --cluster, or the name"
                        .formatted(self, Credentials.TOPOLOGY, topology),
                wrongNodeLogged);
    }

    private static Response misdirected(String line, AtomicBoolean isLogged) {
        if (isLogged.compareAndSet(false, true)) {
            LOG.error(line);
        }
        return Response.of(Status.MISDIRECTED_REQUEST, line);
    }
}
