package dht.testkit.allocation;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the allocations of the classes that an {@link AllocationLoader} has loaded, and makes some
 * of them fail. Each loader has a class of its own.
 *
 * <p>Thread-safe: all threads count together.
 */
public final class Allocations {
    private static final AtomicLong COUNT = new AtomicLong();
    private static volatile long firstFailing = Long.MAX_VALUE;
    private static volatile long endFailing = Long.MAX_VALUE;

    private Allocations() {}

    /** Called before each allocation. */
    public static void pass() {
        long ordinal = COUNT.getAndIncrement();
        if (ordinal >= firstFailing && ordinal < endFailing) {
            throw new OutOfMemoryError("injected: allocation=" + ordinal);
        }
    }

    /** Makes {@code count} allocations fail, after {@code skip} further allocations. */
    public static void fail(long skip, long count) {
        firstFailing = Long.MAX_VALUE;
        long first = COUNT.get() + skip;
        endFailing = first + count;
        firstFailing = first;
    }

    /** Makes no further allocation fail. */
    public static void heal() {
        firstFailing = Long.MAX_VALUE;
    }

    /** The number of allocations so far. */
    public static long count() {
        return COUNT.get();
    }
}
