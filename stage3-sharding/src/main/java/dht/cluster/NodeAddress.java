package dht.cluster;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/**
 * The address of a node. The cluster knows a node only by its address: a server that starts at the
 * address of an earlier node takes its place, and must have its keys. Immutable.
 *
 * @param host in lower case; an IPv6 address in brackets
 */
public record NodeAddress(String host, int port) implements Comparable<NodeAddress> {
    private static final int HTTP_PORT = 80;
    private static final int PORT_MAX = 65_535;

    /**
     * Parses {@code http://host:port}. The case of scheme and host, a missing port (80) and a slash
     * at the end make no difference. A host name and its IP address are two different addresses.
     *
     * @throws IllegalArgumentException with one line that says what is wrong
     */
    public static NodeAddress parse(String text) {
        URI uri = uri(text);
        if (!"http".equalsIgnoreCase(uri.getScheme())) {
            throw malformed(text, "must begin with http://");
        }
        if (uri.getHost() == null || uri.getUserInfo() != null) {
            throw malformed(text, "must be http://HOST:PORT");
        }
        boolean hasPath = !uri.getRawPath().isEmpty() && !uri.getRawPath().equals("/");
        if (hasPath || uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw malformed(text, "must have nothing after the port");
        }
        int port = uri.getPort() == -1 ? HTTP_PORT : uri.getPort();
        if (port < 1 || port > PORT_MAX) {
            throw malformed(text, "must have a port from 1 to " + PORT_MAX);
        }
        return new NodeAddress(uri.getHost().toLowerCase(Locale.ROOT), port);
    }

    private static URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            throw malformed(text, "must be http://HOST:PORT");
        }
    }

    private static IllegalArgumentException malformed(String text, String rule) {
        return new IllegalArgumentException("node '" + text + "' " + rule);
    }

    /** The URL in its normal form: equal addresses have equal URLs. */
    public String url() {
        return "http://" + host + ":" + port;
    }

    @Override
    public int compareTo(NodeAddress other) {
        return url().compareTo(other.url());
    }

    @Override
    public String toString() {
        return url();
    }
}
