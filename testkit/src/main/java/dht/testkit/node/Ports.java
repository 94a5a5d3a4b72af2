package dht.testkit.node;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Leases ports for servers. No other test on this machine gets the same port at the same time.
 *
 * <p>Ports come in pairs: the even one is for the server, and the odd one above it is a guard
 * socket that stays bound for as long as the lease lasts. Another JVM that uses this class cannot
 * bind the guard, so it takes another pair, even while the server is down. The operating system
 * frees the guard if the JVM ends. All ports are below the ranges from which operating systems
 * choose ports for outgoing connections. Threads may share this class.
 */
public final class Ports {
    /** The lowest port that is leased. */
    public static final int FIRST = 10_240;

    static final int LAST = 32_767;
    private static final int PAIRS = (LAST - FIRST + 1) / 2;

    /** Each JVM begins at another place, so that two JVMs rarely try the same pair. */
    private static final AtomicInteger NEXT_PAIR =
            new AtomicInteger((int) (ProcessHandle.current().pid() * 977 % PAIRS));

    /** The guards of all leases, also of those that nobody refers to. */
    private static final Set<ServerSocket> GUARDS = ConcurrentHashMap.newKeySet();

    private Ports() {}

    /** A port that belongs to this JVM until the lease is closed, or the JVM ends. */
    public record Lease(int port, ServerSocket guard) implements AutoCloseable {
        @Override
        public void close() {
            closeQuietly(guard);
            GUARDS.remove(guard);
        }
    }

    /**
     * Leases a port. It was free a moment ago, and no other user of this class can lease it.
     *
     * @throws IllegalStateException if no port is free
     */
    public static Lease lease() {
        for (var i = 0; i < PAIRS; i++) {
            var port = FIRST + 2 * NEXT_PAIR.getAndUpdate(pair -> (pair + 1) % PAIRS);
            var lease = tryLease(port);
            if (lease != null) {
                return lease;
            }
        }
        throw new IllegalStateException("no free port: range=%d..%d".formatted(FIRST, LAST));
    }

    /** Null if the pair is in use. */
    private static Lease tryLease(int port) {
        var guard = bind(port + 1);
        if (guard != null && isFree(port)) {
            GUARDS.add(guard);
            return new Lease(port, guard);
        }
        if (guard != null) {
            closeQuietly(guard);
        }
        return null;
    }

    /**
     * Leases one more port for each of these ports. The distance is the same for all.
     *
     * @throws IllegalStateException if no such ports are free
     */
    public static List<Lease> leaseAbove(List<Integer> ports) {
        for (var distance = 2; FIRST + distance < LAST; distance += 2) {
            var leases = new ArrayList<Lease>();
            for (var port : ports) {
                var lease = port + distance < LAST ? tryLease(port + distance) : null;
                if (lease != null) {
                    leases.add(lease);
                }
            }
            if (leases.size() == ports.size()) {
                return leases;
            }
            leases.forEach(Lease::close);
        }
        throw new IllegalStateException("no free ports above: ports=%s".formatted(ports));
    }

    private static boolean isFree(int port) {
        var probe = bind(port);
        if (probe == null) {
            return false;
        }
        closeQuietly(probe);
        return true;
    }

    /** Null if the port is in use. */
    private static ServerSocket bind(int port) {
        try {
            return new ServerSocket(port, 1, InetAddress.ofLiteral(NodeSpec.HOST));
        } catch (IOException _) {
            return null;
        }
    }

    private static void closeQuietly(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // Nothing is left to close.
        }
    }
}
