package dht.peer;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the connections to another node now and then, and has those broken off that have waited
 * for too long. So no thread needs a system call to limit its own wait, request by request.
 *
 * <p>Thread-safe.
 */
final class DeadlineWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DeadlineWatch.class);

    /** So often in a timeout: what is overdue is found that much late at most. */
    private static final int LOOKS_PER_TIMEOUT = 10;

    private static final long PAUSE_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(5);

    private final List<PeerConnection> connections;
    private final ScheduledThreadPoolExecutor clock;

    /**
     * @param timeout of the connections
     */
    DeadlineWatch(String threadName, Duration timeout, List<PeerConnection> connections) {
        this.connections = connections;
        this.clock =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().name(threadName).daemon().factory());
        long pauseNanos = Math.max(PAUSE_NANOS_MIN, timeout.toNanos() / LOOKS_PER_TIMEOUT);
        clock.scheduleWithFixedDelay(this::look, pauseNanos, pauseNanos, TimeUnit.NANOSECONDS);
    }

    private void look() {
        long nowNanos = System.nanoTime();
        for (PeerConnection connection : connections) {
            try {
                connection.checkDeadline(nowNanos);
            } catch (RuntimeException e) { // It would be the last look at all of them.
                LOG.error("cannot break off a request", e);
            }
        }
    }

    boolean hasEnded() {
        return clock.isTerminated();
    }

    /** Returns when nobody looks any more. */
    @Override
    public void close() {
        clock.close();
    }
}
