package dht.testkit.node;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for servers, which no other test on the machine is given at the same time.
 *
 * <p>Ports come in pairs: the even one is for the server, and the odd one above it is a guard
 * socket that stays bound for as long as the lease lasts. Another JVM with this kit fails to bind
 * the guard and moves on, even while the server is down; and the operating system frees the guard
 * of a JVM that dies. All are below the ranges from which operating systems choose ports of
 * outgoing connections. Threads may share this class.
 */
public final class Ports {
    /** The lowest port that is leased. */
    public static final int FIRST = 10_240;

    static final int LAST = 32_767;
    private static final int PAIRS = (LAST - FIRST + 1) / 2;

    /** JVMs start at different places, so that they rarely meet. */
    private static final AtomicInteger NEXT_PAIR =
            new AtomicInteger((int) (ProcessHandle.current().pid() * 977 % PAIRS));

    private Ports() {}

    /** A port that is this JVM's until closed. */
    public record Lease(int port, ServerSocket guard) implements AutoCloseable {
        @Override
        public void close() {
            closeQuietly(guard);
        }
    }

    /**
     * A port that was free a moment ago, and that no other user of this class will take.
     *
     * @throws IllegalStateException where none is free
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

    /** Null where somebody else has the pair. */
    private static Lease tryLease(int port) {
        var guard = bind(port + 1);
        if (guard != null && isFree(port)) {
            return new Lease(port, guard);
        }
        if (guard != null) {
            closeQuietly(guard);
        }
        return null;
    }

    /**
     * Leases one more port for each of these, all of them equally far above.
     *
     * @throws IllegalStateException where there are none
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

    /** Null where somebody else holds it. */
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
            // Gone either way.
        }
    }
}
