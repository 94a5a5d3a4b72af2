package dht.testkit.allocation;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;

/**
 * Counts the allocations of the classes that an {@link AllocationLoader} has loaded, and makes some
 * of them fail. Each loader loads this class again, so each has its own counters.
 *
 * <p>Thread-safe: all threads share the counters.
 */
public final class Allocations {
    private static final AtomicLong COUNT = new AtomicLong();
    private static final AtomicLong FAILED = new AtomicLong();
    private static final AtomicLong OPEN_ARENAS = new AtomicLong();
    private static final Set<Object> RECORDED =
            Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
    private static volatile long firstFailing = Long.MAX_VALUE;
    private static volatile long endFailing = Long.MAX_VALUE;

    private Allocations() {}

    /**
     * Called before each allocation: counts it.
     *
     * @throws OutOfMemoryError if this allocation is one of those that must fail
     */
    public static void pass() {
        long ordinal = COUNT.getAndIncrement();
        if (ordinal >= firstFailing && ordinal < endFailing && !isInitializing()) {
            FAILED.incrementAndGet();
            throw new OutOfMemoryError("injected: allocation=" + ordinal);
        }
    }

    /**
     * Whether a static initializer is running: such an allocation does not fail, because the class
     * could never be used again.
     */
    private static boolean isInitializing() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals("<clinit>")));
    }

    /** Makes {@code count} allocations fail, after {@code skip} further allocations. */
    public static void fail(long skip, long count) {
        firstFailing = Long.MAX_VALUE;
        long first = COUNT.get() + skip;
        endFailing = first + count;
        firstFailing = first;
    }

    /**
     * Runs an action in which one allocation fails, after {@code skip} others; returns whether the
     * action ran out of memory. It does not if it allocates less, or survives the failure.
     */
    public static boolean runsOutOfMemory(long skip, Action action) throws IOException {
        fail(skip, 1);
        try {
            action.run();
            return false;
        } catch (OutOfMemoryError e) {
            return true;
        } finally {
            heal();
        }
    }

    /** Something that allocates. */
    @FunctionalInterface
    public interface Action {
        void run() throws IOException;
    }

    /** Ends the failures: all further allocations succeed. */
    public static void heal() {
        firstFailing = Long.MAX_VALUE;
    }

    /** The number of allocations so far. */
    public static long count() {
        return COUNT.get();
    }

    /** The number of allocations that have failed so far. */
    public static long failedCount() {
        return FAILED.get();
    }

    /** Called with each new object of a class that the loader records. */
    public static void record(Object created) {
        RECORDED.add(created);
    }

    /** The objects of a recorded class that were created since {@link #forgetRecorded}. */
    public static <T> List<T> recorded(Class<T> type) {
        synchronized (RECORDED) {
            return RECORDED.stream().filter(type::isInstance).map(type::cast).toList();
        }
    }

    /** The sum of a quantity over the {@link #recorded} objects of a class. */
    public static <T> long sum(Class<T> type, ToLongFunction<T> quantity) {
        return recorded(type).stream().mapToLong(quantity).sum();
    }

    /** Forgets all recorded objects, so that they can be garbage-collected. */
    public static void forgetRecorded() {
        RECORDED.clear();
    }

    /**
     * Called with each new arena: returns a view that is counted from its first allocation until it
     * is closed.
     */
    public static Arena watch(Arena arena) {
        return new WatchedArena(arena, new AtomicBoolean());
    }

    /** The number of arenas that hold memory and are not closed. */
    public static long openArenas() {
        return OPEN_ARENAS.get();
    }

    private record WatchedArena(Arena arena, AtomicBoolean isCounted) implements Arena {
        @Override
        public MemorySegment allocate(long byteSize, long byteAlignment) {
            MemorySegment allocated = arena.allocate(byteSize, byteAlignment);
            if (isCounted.compareAndSet(false, true)) {
                OPEN_ARENAS.incrementAndGet();
            }
            return allocated;
        }

        @Override
        public MemorySegment.Scope scope() {
            return arena.scope();
        }

        @Override
        public void close() {
            arena.close();
            if (isCounted.compareAndSet(true, false)) {
                OPEN_ARENAS.decrementAndGet();
            }
        }
    }
}
