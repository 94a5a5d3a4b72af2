package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.cluster.NodeAddress;
import dht.peer.Credentials;
import dht.peer.PeerOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sends the requests of healing, and of ranges over the cluster, to other nodes, and waits for the
 * answers. It shares nothing with the {@link dht.peer.Peers}, which send only requests for
 * entities. So it takes none of their connections, and a failure here opens no circuit breaker.
 *
 * <p>Thread-safe.
 */
final class NodeClient implements AutoCloseable {
    /** A node has answered with a status other than 200. */
    static final class Refused extends IOException {
        private static final long serialVersionUID = 1L;

        private final int status;

        Refused(NodeAddress node, int status, String line) {
            super("node %s answered %d: %s".formatted(node, status, line));
            this.status = status;
        }

        /** Whether the node may serve the request soon: it is overloaded, or it is rebuilding. */
        boolean isTemporary() {
            return status == HttpURLConnection.HTTP_UNAVAILABLE;
        }

        /** Whether the node has no value for the key. */
        boolean isNotFound() {
            return status == HttpURLConnection.HTTP_NOT_FOUND;
        }

        /** Whether the node does not know the request: it runs an earlier release. */
        boolean isUnknownRequest() {
            return status == HttpURLConnection.HTTP_BAD_REQUEST
                    || status == HttpURLConnection.HTTP_NOT_FOUND;
        }
    }

    /** An answer with status 200. */
    record Answer(byte[] body, String timestampMicros) {}

    private static final int LINE_LENGTH_MAX = 200;

    private final Credentials credentials;
    private final PeerOptions options;
    private final Set<HttpURLConnection> inFlight = ConcurrentHashMap.newKeySet();
    private volatile boolean isClosed;

    NodeClient(Credentials credentials, PeerOptions options) {
        this.credentials = credentials;
        this.options = options;
    }

    Answer get(NodeAddress node, String target) throws IOException {
        return exchange(node, open(node, "GET", target), null);
    }

    Answer put(NodeAddress node, String target, byte[] body) throws IOException {
        return exchange(node, open(node, "PUT", target), body);
    }

    private Answer exchange(NodeAddress node, HttpURLConnection connection, byte[] body)
            throws IOException {
        inFlight.add(connection);
        try {
            if (isClosed) {
                throw new IOException("this node is stopping");
            }
            if (body != null) {
                send(body, connection);
            }
            return answer(node, connection);
        } finally {
            inFlight.remove(connection);
        }
    }

    private static void send(byte[] body, HttpURLConnection connection) throws IOException {
        connection.setDoOutput(true);
        connection.setFixedLengthStreamingMode(body.length);
        try (OutputStream out = connection.getOutputStream()) {
            out.write(body);
        }
    }

    private HttpURLConnection open(NodeAddress node, String method, String target)
            throws IOException {
        NodeAddress internal = options.internalPort().of(node);
        var connection =
                (HttpURLConnection) URI.create(internal.url() + target).toURL().openConnection();
        connection.setRequestMethod(method);
        connection.setConnectTimeout((int) options.connectTimeout().toMillis());
        connection.setReadTimeout((int) options.requestTimeout().toMillis());
        connection.setInstanceFollowRedirects(false);
        connection.setUseCaches(false);
        // One connection per request: a node that stops would wait for an idle connection.
        connection.setRequestProperty("Connection", "close");
        credentials.headers(node).forEach(connection::setRequestProperty);
        return connection;
    }

    private static Answer answer(NodeAddress node, HttpURLConnection connection)
            throws IOException {
        int status = connection.getResponseCode();
        if (status != HttpURLConnection.HTTP_OK) {
            throw new Refused(node, status, firstLine(connection.getErrorStream()));
        }
        try (InputStream in = connection.getInputStream()) {
            byte[] body = in.readAllBytes();
            if (body.length != connection.getContentLengthLong()) {
                throw new IOException("node %s cut its answer off".formatted(node));
            }
            return new Answer(body, connection.getHeaderField("Timestamp-Micros"));
        }
    }

    /** Aborts requests in flight, so that the threads that wait for them can end. */
    @Override
    public void close() {
        isClosed = true;
        inFlight.forEach(HttpURLConnection::disconnect);
    }

    /** The first line of the body of an error; empty if there is none. */
    static String firstLine(InputStream error) throws IOException {
        if (error == null) {
            return "";
        }
        try (error) {
            String text = new String(error.readNBytes(LINE_LENGTH_MAX), UTF_8);
            return text.lines().findFirst().orElse("");
        }
    }
}
