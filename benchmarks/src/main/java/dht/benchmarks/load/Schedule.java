package dht.benchmarks.load;

/**
 * When the requests of one connection are due: at a constant rate from a start on, whatever became
 * of the requests before. A connection that is late sends at once, but never more than twice as
 * many as fell due since it was last on time. All times in nanoseconds of one clock. Not
 * thread-safe.
 *
 * <p>The arithmetic is wrk2's, so that both tools put the same load on a server.
 */
final class Schedule {
    private static final int CATCH_UP_FACTOR = 2;

    private final long startNanos;
    private final double intervalNanos;

    private long completed;
    private boolean late;
    private long lateSinceNanos;
    private long completedBefore;

    /**
     * @param intervalNanos between two requests, above 0
     */
    Schedule(long startNanos, double intervalNanos) {
        this.startNanos = startNanos;
        this.intervalNanos = intervalNanos;
    }

    /** Where the latency of the next request is counted from, though it may be sent later. */
    long intendedStartNanos() {
        return startNanos + (long) (completed * intervalNanos);
    }

    /** How long the next request must wait; 0 if it is to be sent now. */
    long waitNanos(long nowNanos) {
        long wait = intendedStartNanos() - nowNanos;
        if (wait > 0) {
            late = false;
            return wait;
        }
        if (!late) { // By as little as it takes to notice that a request is due.
            late = true;
            lateSinceNanos = nowNanos;
            completedBefore = completed;
        }
        long sinceThen = completed - completedBefore;
        long allowedNanos = lateSinceNanos + (long) (sinceThen * intervalNanos / CATCH_UP_FACTOR);
        return Math.max(0, allowedNanos - nowNanos);
    }

    /** The request was answered. */
    void complete() {
        completed++;
    }
}
