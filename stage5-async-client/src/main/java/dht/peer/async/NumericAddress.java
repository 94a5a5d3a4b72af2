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
 * A node's URL with an IP address instead of the host name. If the URL had a name, the client would
 * resolve it for each request, on the thread that sends it; a name server may take seconds. So a
 * separate thread resolves the name: from time to time, and soon after a failed request. An address
 * is used until a lookup finds a different one.
 *
 * <p>Thread-safe; doesn't block the caller.
 */
final class NumericAddress {
    /** The time between two lookups while no request fails. */
    static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** The shortest time between two lookups, however many requests fail. */
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
    private final boolean isNumeric;
    private final AtomicBoolean resolving = new AtomicBoolean();
    private volatile long resolvedNanos;

    /**
     * Racy on purpose: if a lookup ends at the same time, it may overwrite the value that {@link
     * #failed} has set. The next failed request sets it again.
     */
    private volatile long nextLookupNanos;

    private volatile String url; // Null until an address is found.

    /** Starts the first lookup. */
    NumericAddress(NodeAddress node) {
        this(node, InetAddress::getByName, System::nanoTime);
    }

    NumericAddress(NodeAddress node, Lookup lookup, LongSupplier nanoClock) {
        this.node = node;
        this.lookup = lookup;
        this.nanoClock = nanoClock;
        this.isNumeric = isNumeric(node.host());
        this.nextLookupNanos = nanoClock.getAsLong();
        this.resolvedNanos = nextLookupNanos - RETRY_NANOS;
        if (isNumeric) {
            this.url = node.url();
        } else {
            resolveIfDue();
        }
    }

    private static boolean isNumeric(String host) {
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
        if (!isNumeric) {
            resolveIfDue();
        }
        String known = url;
        if (known == null) {
            throw new UncheckedIOException(
                    new UnknownHostException("no address is known for " + node.host()));
        }
        return known;
    }

    /**
     * Must be called when a request to this address has failed: the node may have a new address, so
     * the name is looked up again. Never throws, even if there is no memory.
     */
    void failed() {
        if (isNumeric) {
            return;
        }
        nextLookupNanos = resolvedNanos + RETRY_NANOS;
        try {
            resolveIfDue();
        } catch (OutOfMemoryError _) { // The next request starts the lookup.
        }
    }

    private void resolveIfDue() {
        boolean isDue = nanoClock.getAsLong() - nextLookupNanos >= 0;
        if (isDue && resolving.compareAndSet(false, true)) {
            boolean isStarted = false;
            try {
                Thread.ofPlatform().daemon().name("peer-name").start(this::resolve);
                isStarted = true;
            } finally {
                if (!isStarted) { // No memory for a thread.
                    resolving.set(false);
                }
            }
        }
    }

    private void resolve() {
        long freshNanos = RETRY_NANOS;
        try {
            String found = url(lookup.find(node.host()));
            if (!found.equals(url)) {
                url = found;
            }
            freshNanos = FRESH_NANOS;
        } catch (UnknownHostException | RuntimeException | Error _) {
            // The last address found may still be right. Whatever leaves a thread ends the server.
        } finally {
            long nowNanos = nanoClock.getAsLong();
            resolvedNanos = nowNanos;
            nextLookupNanos = nowNanos + freshNanos;
            resolving.set(false);
        }
    }

    private String url(InetAddress address) {
        String number = address.getHostAddress();
        String host = address instanceof Inet6Address ? "[" + number + "]" : number;
        return "http://" + host + ":" + node.port();
    }
}
