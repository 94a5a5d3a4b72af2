package dht.http;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that checks all connections every second, and ends those whose clients are too slow.
 * While more than half of the connections' memory is taken, it checks more often, and ends the
 * connections that hold memory and have stalled for the longest time.
 *
 * <p>It also checks whether the heap has any memory left. If several checks in at least {@value
 * #WITHOUT_MEMORY_MILLIS_MAX} ms have found none, the thread fails, and so ends the process: such a
 * server answers no request, and its JVM may not even have the memory to pass SIGTERM on.
 *
 * <p>Thread-safe.
 */
final class ConnectionSweeper {
    /** The time between two checks, if the thread is not woken. */
    private static final long PERIOD_MILLIS = 1000;

    /** The shortest time between two checks, even if the thread is woken often. */
    private static final long PERIOD_MILLIS_MIN = 20;

    /** While more than half of the memory is taken, shorter stalls do not end a connection. */
    private static final long STALL_MILLIS_MIN = 5000;

    /** While only the reserve of the memory is left, shorter stalls do not end a connection. */
    private static final long STALL_MILLIS_MIN_USED_UP = 50;

    /** The thread fails if the heap has had no memory for at least this time. */
    private static final long WITHOUT_MEMORY_MILLIS_MAX = 3000;

    /** The minimum number of checks in this time that must have found no memory. */
    private static final int CHECKS_WITHOUT_MEMORY_MIN = 3;

    /** A check takes much less time than this. */
    private static final long STOP_MILLIS_MAX = 5000;

    /** More than a thread has in its own allocation buffer. */
    private static final int PROBE_BYTES = 64 << 10;

    private final Set<HttpSession> sessions;
    private final MemoryBudget memory;
    private final Failures failures;
    private final Thread thread = new Thread(this::run, "http-sweeper");
    private volatile boolean stopped;
    private volatile byte[] probe; // Volatile, or the compiler could leave the allocation out.

    /**
     * @param sessions all open connections; other threads may change the set at any time
     */
    ConnectionSweeper(Set<HttpSession> sessions, MemoryBudget memory, Failures failures) {
        this.sessions = sessions;
        this.memory = memory;
        this.failures = failures;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Makes the thread check the connections soon. */
    void wake() {
        LockSupport.unpark(thread);
    }

    /** Ends the thread. Waits for it, but not longer than {@value #STOP_MILLIS_MAX} ms. */
    void stop() {
        stopped = true;
        wake();
        try {
            thread.join(STOP_MILLIS_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        long lastMillis = System.currentTimeMillis();
        int checksWithoutMemory = 0;
        for (pause(); !stopped; pause()) {
            long nowMillis = System.currentTimeMillis();
            // If this process was suspended, it can't know how fast its clients were.
            boolean wasAway = Math.abs(nowMillis - lastMillis) > 3 * PERIOD_MILLIS;
            try {
                probe = new byte[PROBE_BYTES];
                probe = null;
                check(nowMillis, wasAway);
                lastMillis = nowMillis;
                checksWithoutMemory = 0;
            } catch (OutOfMemoryError e) { // The next check makes up for this one.
                checksWithoutMemory++;
                if (checksWithoutMemory >= CHECKS_WITHOUT_MEMORY_MIN
                        && nowMillis - lastMillis >= WITHOUT_MEMORY_MILLIS_MAX) {
                    throw e;
                }
            }
        }
    }

    /**
     * @param wasAway whether this process was suspended since the last check
     */
    void check(long nowMillis, boolean wasAway) {
        for (HttpSession session : sessions) {
            session.sweep(nowMillis, wasAway);
        }
        if (memory.isScarce()) {
            makeRoom(nowMillis);
        }
    }

    /** Waits until the next check; at least for a short time, even if the thread is woken often. */
    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PERIOD_MILLIS_MIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PERIOD_MILLIS - PERIOD_MILLIS_MIN));
    }

    /**
     * Ends stalled connections, roughly the longest stalls first: each round ends those that have
     * stalled for at least half as long as the limit of the round before.
     */
    private void makeRoom(long nowMillis) {
        long longestMillis = 0;
        for (HttpSession session : sessions) {
            longestMillis = Math.max(longestMillis, session.stalledMillis(nowMillis));
        }
        int ended = 0;
        long limit = longestMillis;
        boolean hasMore = limit >= stallMillisMin();
        while (hasMore && memory.isScarce()) {
            limit = Math.max(limit / 2, stallMillisMin());
            for (HttpSession session : sessions) {
                // Fewer as soon as there is room.
                long stallMillis = Math.max(limit, stallMillisMin());
                boolean isEnded = memory.isScarce() && session.endIfStalled(nowMillis, stallMillis);
                ended += isEnded ? 1 : 0;
            }
            hasMore = limit > stallMillisMin();
        }
        if (ended > 0) {
            failures.logSeldom(
                    "connection memory",
                    "connections hold more than half of their memory: bytesMax=%d; ended the %d that were stalled for longest"
                            .formatted(memory.bytesMax(), ended));
        }
    }

    /** Shorter stalls do not end a connection now. */
    private long stallMillisMin() {
        return memory.isUsedUp() ? STALL_MILLIS_MIN_USED_UP : STALL_MILLIS_MIN;
    }
}
