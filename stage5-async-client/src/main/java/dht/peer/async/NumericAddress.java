package dht.peer.async;

import dht.cluster.NodeAddress;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * A node's URL with an IP address instead of the host name. With a name, the client would resolve
 * it for each request, on the thread that reads all answers, and a name server may take seconds. So
 * a separate thread resolves the name from time to time. The last address found is used until a
 * different one is found.
 *
 * <p>Thread-safe; doesn't block the caller.
 */
final class NumericAddress {
    /** As long as Java itself caches a resolved name. */
    static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** How soon to try again after a failure. */
    static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Resolves a host name; may block. */
    interface Lookup {
        /**
         * @throws UnknownHostException if the name has no address
         */
        InetAddress find(String host) throws UnknownHostException;
    }

    private final NodeAddress node;
    private final Lookup lookup;
    private final LongSupplier nanoClock;
    private final boolean isNumber;
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile long dueNanos;
    private volatile String url; // Null until an address is found.

    /** Starts the first lookup. */
    NumericAddress(NodeAddress node) {
        this(node, InetAddress::getByName, System::nanoTime);
    }

    NumericAddress(NodeAddress node, Lookup lookup, LongSupplier nanoClock) {
        this.node = node;
        this.lookup = lookup;
        this.nanoClock = nanoClock;
        this.isNumber = isNumber(node.host());
        this.dueNanos = nanoClock.getAsLong();
        if (isNumber) {
            this.url = node.url();
        } else {
            lookIfDue();
        }
    }

    private static boolean isNumber(String host) {
        try {
            InetAddress.ofLiteral(host);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * The node's URL with its IP address. Returns the same object until a different address is
     * found.
     *
     * @return such as {@code http://192.0.2.1:8080}
     * @throws UncheckedIOException if no address was found yet
     */
    String url() {
        if (!isNumber) {
            lookIfDue();
        }
        String known = url;
        if (known == null) {
            throw new UncheckedIOException(
                    new UnknownHostException("no address is known of " + node.host()));
        }
        return known;
    }

    private void lookIfDue() {
        boolean isDue = nanoClock.getAsLong() - dueNanos >= 0;
        if (isDue && looking.compareAndSet(false, true)) {
            boolean isStarted = false;
            try {
                Thread.ofPlatform().daemon().name("peer-name").start(this::look);
                isStarted = true;
            } finally {
                if (!isStarted) { // No memory for a thread.
                    looking.set(false);
                }
            }
        }
    }

    private void look() {
        long freshNanos = RETRY_NANOS;
        try {
            String found = url(lookup.find(node.host()));
            if (!found.equals(url)) {
                url = found;
            }
            freshNanos = FRESH_NANOS;
        } catch (UnknownHostException _) { // The last address found may still be right.
        } finally {
            dueNanos = nanoClock.getAsLong() + freshNanos;
            looking.set(false);
        }
    }

    private String url(InetAddress address) {
        String number = address.getHostAddress();
        String host = address instanceof Inet6Address ? "[" + number + "]" : number;
        return "http://" + host + ":" + node.port();
    }
}
