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
 * The address on which a server listens. Immutable.
 *
 * @param guardedPort the port that serves only the paths of {@link Router#guard}; equal to {@code
 *     port} if all paths share one port
 */
public record ListenAddress(String host, int port, int guardedPort) {
    private static final int BACKLOG = 1024;

    /** An address with one port for all paths. */
    public ListenAddress(String host, int port) {
        this(host, port, port);
    }

    /**
     * The same address, with a separate port for guarded paths.
     *
     * @throws IOException if another server listens on that port, or the host is unknown
     */
    public ListenAddress withGuardedPort(int guarded) throws IOException {
        return guarded == port ? this : new ListenAddress(host, port, free(host, guarded).port());
    }

    boolean hasGuardedPort() {
        return guardedPort != port;
    }

    /**
     * Checks that an address is free, and returns it.
     *
     * @param port 0 for any
     * @throws IOException if another server listens there, or the host is unknown or not an address
     *     of this machine
     */
    public static ListenAddress free(String host, int port) throws IOException {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(InetAddress.getByName(host), port));
            return new ListenAddress(host, probe.getLocalPort());
        } catch (BindException | UnknownHostException e) {
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

    /** Whether only this machine can reach the address. False if the host is unknown. */
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
        // one-nio's own clean-up is not safe while connections open and close.
        config.keepAlive = 0;
        config.closeSessions = false;
        return config;
    }

    private AcceptorConfig acceptorConfig(int listening) {
        AcceptorConfig acceptor = new AcceptorConfig();
        acceptor.address = host;
        acceptor.port = listening;
        acceptor.backlog = BACKLOG;
        // With SO_REUSEPORT, two servers could listen, and share the connections.
        acceptor.reusePort = false;
        return acceptor;
    }
}
