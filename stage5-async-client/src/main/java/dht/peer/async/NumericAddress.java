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
 * Where a node is by number. The client would look its name up for each request, on the thread that
 * reads all answers, and a name server may take seconds. So a thread of its own looks, now and
 * then; what was found last holds until something else is found.
 *
 * <p>Thread-safe; doesn't block the caller.
 */
final class NumericAddress {
    /** As long as Java itself keeps what it has found. */
    static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** After nothing was found. */
    static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Finds the number of a host; may take its time. */
    interface Lookup {
        /**
         * @throws UnknownHostException if it has none
         */
        InetAddress find(String host) throws UnknownHostException;
    }

    private final NodeAddress node;
    private final Lookup lookup;
    private final LongSupplier nanoClock;
    private final boolean isNumber;
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile long dueNanos;
    private volatile String url; // Null while nothing was found.

    /** Begins to look. */
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
     * The same object until another number is found.
     *
     * @return such as {@code http://192.0.2.1:8080}
     * @throws UncheckedIOException if none was found so far
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
        } catch (UnknownHostException _) { // What was known may still be right.
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
