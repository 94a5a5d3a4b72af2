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
 * Accepts only requests from nodes that send the cluster's secret and have the same view of the
 * cluster. A request without the topology header, such as one typed by hand, needs only the secret.
 *
 * <p>Thread-safe.
 */
public final class InternalGate implements Router.Gate {
    /** The prefix of the paths that it guards. */
    public static final String PREFIX = "/internal/";

    private static final Logger LOG = LoggerFactory.getLogger(InternalGate.class);
    private static final Response FORBIDDEN =
            Response.of(Status.FORBIDDEN, "wrong or missing " + Credentials.SECRET);

    private final Credentials credentials;
    private final byte[] secret; // Null if the cluster has no secret.
    private final AtomicBoolean mismatchLogged = new AtomicBoolean();

    public InternalGate(Credentials credentials) {
        this.credentials = credentials;
        this.secret = credentials.secret().map(text -> text.getBytes(ISO_8859_1)).orElse(null);
    }

    @Override
    public Response refusal(HttpRequest request) {
        if (secret != null && !knowsSecret(request.header(Credentials.SECRET))) {
            return FORBIDDEN;
        }
        String topology = request.header(Credentials.TOPOLOGY);
        if (topology == null || topology.startsWith(credentials.fingerprint().text())) {
            return null;
        }
        return mismatch(topology.substring(topology.indexOf(' ') + 1));
    }

    /** Compares in constant time, so that an attacker learns nothing from how long it takes. */
    private boolean knowsSecret(String shown) {
        return shown != null && MessageDigest.isEqual(secret, shown.getBytes(ISO_8859_1));
    }

    private Response mismatch(String asker) {
        String line =
                "node %s and node %s have different views of the cluster: start both with the same --cluster, --placement and --virtual-nodes"
                        .formatted(asker, credentials.self());
        if (mismatchLogged.compareAndSet(false, true)) {
            LOG.error(line);
        }
        return Response.of(Status.MISDIRECTED_REQUEST, line);
    }
}
