package dht.http;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.stream.IntStream;
import one.nio.server.AcceptorConfig;
import one.nio.server.ServerConfig;

/**
 * Where a server listens, and that nobody else does.
 *
 * @param guardedPort where the paths are served that {@link Router#guard} names, and no others; the
 *     same as {@code port} where all paths share one
 */
public record ListenAddress(String host, int port, int guardedPort) {
    private static final int BACKLOG = 1024;

    /** One port for all paths. */
    public ListenAddress(String host, int port) {
        this(host, port, port);
    }

    /**
     * The same, with a port of its own for guarded paths.
     *
     * @throws IOException if another server listens there
     */
    public ListenAddress withGuardedPort(int guarded) throws IOException {
        return guarded == port ? this : new ListenAddress(host, port, free(host, guarded).port());
    }

    boolean hasGuardedPort() {
        return guardedPort != port;
    }

    /**
     * An address that is free.
     *
     * @param port 0 for any
     * @throws IOException if another server listens there, or the host is none of this machine's.
     *     With SO_REUSEPORT, which the acceptors use, the operating system wouldn't tell, and share
     *     the connections out among both
     */
    public static ListenAddress free(String host, int port) throws IOException {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(InetAddress.getByName(host), port));
            return new ListenAddress(host, probe.getLocalPort());
        } catch (BindException e) {
            throw new IOException(
                    "cannot listen: host="
                            + host
                            + " port="
                            + port
                            + ": "
                            + e.getMessage()
                            + ": choose a host of this machine, and a port that is free",
                    e);
        }
    }

    /** Whether only this machine reaches it. */
    public boolean isLoopback() {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    public String url() {
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    ServerConfig serverConfig(HttpOptions options) {
        ServerConfig config = new ServerConfig();
        config.acceptors =
                IntStream.of(port, guardedPort)
                        .distinct()
                        .mapToObj(this::acceptorConfig)
                        .toArray(AcceptorConfig[]::new);
        config.selectors = options.selectorThreads();
        // What one-nio would do itself is not safe while connections come and go.
        config.keepAlive = 0;
        config.closeSessions = false;
        return config;
    }

    private AcceptorConfig acceptorConfig(int listening) {
        AcceptorConfig acceptor = new AcceptorConfig();
        acceptor.address = host;
        acceptor.port = listening;
        acceptor.backlog = BACKLOG;
        acceptor.reusePort = true;
        return acceptor;
    }
}
