package dht.repair;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.cluster.NodeAddress;
import dht.http.Router;
import dht.peer.Credentials;
import dht.peer.PeerOptions;
import dht.storage.Dao;
import java.io.EOFException;
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
        private final String line;

        Refused(NodeAddress node, int status, String line) {
            super("node %s answered %d: %s".formatted(node, status, line));
            this.status = status;
            this.line = line;
        }

        /** Whether the node may serve the request soon: it is overloaded, or it is rebuilding. */
        boolean isTemporary() {
            return status == HttpURLConnection.HTTP_UNAVAILABLE;
        }

        /** Whether the node has no value for the key. */
        boolean isNotFound() {
            return status == HttpURLConnection.HTTP_NOT_FOUND;
        }

        /**
         * Whether the node is of an earlier release, which does not know the path. Other refusals
         * do not show the release. A node of a later release may reject the body. Or another server
         * may answer at the node's address.
         */
        boolean isUnknownPath() {
            return status == HttpURLConnection.HTTP_BAD_REQUEST
                    && line.equals(Router.UNKNOWN_PATH_LINE);
        }
    }

    /**
     * An answer with status 200.
     *
     * @param timestampMicros null if the answer has no stamp
     */
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

    /**
     * Sends a GET request and waits for the answer. Each wait for bytes of the head takes at most
     * the request timeout. The body takes at most the request timeout, plus the same time for each
     * mebibyte and for the last read.
     *
     * @throws Refused if the status is not 200
     * @throws IOException if the node cannot be reached, is too slow, or cuts its answer off, and
     *     if the answer has more than {@value Dao#MAX_VALUE_BYTES} bytes, or does not say how many
     */
    Answer get(NodeAddress node, String target) throws IOException {
        return exchange(node, open(node, "GET", target), null);
    }

    /** The same with a PUT request. */
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

    private Answer answer(NodeAddress node, HttpURLConnection connection) throws IOException {
        int status = connection.getResponseCode();
        if (status != HttpURLConnection.HTTP_OK) {
            throw new Refused(node, status, firstLine(connection.getErrorStream()));
        }
        long bodyBytes = connection.getContentLengthLong();
        if (bodyBytes < 0 || bodyBytes > Dao.MAX_VALUE_BYTES) {
            connection.disconnect();
            throw new IOException(
                    "node %s answers with %s bytes, which no node does"
                            .formatted(node, bodyBytes < 0 ? "an unknown number of" : bodyBytes));
        }
        try (InputStream in = connection.getInputStream()) {
            byte[] body = read(in, (int) bodyBytes, node);
            return new Answer(body, connection.getHeaderField("Timestamp-Micros"));
        }
    }

    /**
     * The connection's timeout applies to each single read. So this method also limits the time for
     * the whole body.
     */
    private byte[] read(InputStream in, int bodyBytes, NodeAddress node) throws IOException {
        long timeoutNanos = options.requestTimeout().toNanos();
        long startNanos = System.nanoTime();
        byte[] body = new byte[bodyBytes];
        int done = 0;
        while (done < bodyBytes) {
            done += readSome(in, body, done, node);
            if (System.nanoTime() - startNanos > timeoutNanos * (1 + (done >> 20))) {
                throw new IOException(
                        "node %s sends its answer too slowly: bytes=%d".formatted(node, done));
            }
        }
        return body;
    }

    private static int readSome(InputStream in, byte[] body, int from, NodeAddress node)
            throws IOException {
        try {
            int count = in.read(body, from, body.length - from);
            if (count < 0) {
                throw new EOFException("no more bytes");
            }
            return count;
        } catch (IOException e) {
            throw new IOException(
                    "node %s has not sent its whole answer: %s".formatted(node, e.getMessage()), e);
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
