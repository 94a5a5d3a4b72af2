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
 * a separate thread resolves the name from time to time, and soon after a failure. The last address
 * found is used until a different one is found.
 *
 * <p>Thread-safe; doesn't block the caller.
 */
final class NumericAddress {
    /** How long an address is used without another lookup, if no request fails. */
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
    private final boolean isNumber;
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile long lookedNanos;

    /**
     * Racy on purpose: a lookup that ends at the same time may overwrite {@link #failed}, until the
     * next failure.
     */
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
        this.lookedNanos = dueNanos - RETRY_NANOS;
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

    /**
     * A request to this address has failed: the node may have another address now, so looks it up.
     * Never throws, even if there is no memory.
     */
    void failed() {
        if (isNumber) {
            return;
        }
        dueNanos = lookedNanos + RETRY_NANOS;
        try {
            lookIfDue();
        } catch (OutOfMemoryError _) { // The next request looks.
        }
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
            long nowNanos = nanoClock.getAsLong();
            lookedNanos = nowNanos;
            dueNanos = nowNanos + freshNanos;
            looking.set(false);
        }
    }

    private String url(InetAddress address) {
        String number = address.getHostAddress();
        String host = address instanceof Inet6Address ? "[" + number + "]" : number;
        return "http://" + host + ":" + node.port();
    }
}
