package dht.execution;

import dht.http.EventCounter;
import dht.http.RequestExecutor.Task;
import dht.http.Response;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rejects requests with answers that were prepared in advance: under overload, rejections are
 * frequent and must cost little time. Counts rejections by cause, and logs one line about all of
 * them, at most once a minute.
 *
 * <p>Thread-safe.
 */
public final class Rejections {
    private static final Logger LOG = LoggerFactory.getLogger(Rejections.class);
    private static final long LOG_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** The cause of a rejection. */
    public enum Cause {
        FULL("too many requests are waiting"),
        DEADLINE("the request has waited for too long"),
        STOPPING("the server is stopping");

        private final Response answer;

        Cause(String reason) {
            this.answer = Response.unavailable(reason);
        }
    }

    private final Map<Cause, EventCounter> counts = new EnumMap<>(Cause.class);
    private final AtomicLong nextLogNanos;

    Rejections(long nowNanos) {
        for (Cause cause : Cause.values()) {
            counts.put(cause, new EventCounter());
        }
        nextLogNanos = new AtomicLong(nowNanos);
    }

    void refuse(Task task, Cause cause, long nowNanos) {
        counts.get(cause).increment();
        log(nowNanos);
        task.refuse(cause.answer);
    }

    /** Throws nothing: the task must be rejected. */
    private void log(long nowNanos) {
        long dueNanos = nextLogNanos.get();
        if (nowNanos - dueNanos >= 0
                && nextLogNanos.compareAndSet(dueNanos, nowNanos + LOG_PAUSE_NANOS)) {
            try {
                LOG.warn("requests are rejected: {}", summary());
            } catch (OutOfMemoryError _) { // The line of the next minute has all counts.
            }
        }
    }

    /** The number of requests that were rejected for this cause. */
    public long count(Cause cause) {
        return counts.get(cause).sum();
    }

    private String summary() {
        return Arrays.stream(Cause.values())
                .map(cause -> cause.name().toLowerCase(java.util.Locale.ROOT) + "=" + count(cause))
                .collect(Collectors.joining(" ", "", " since the start"));
    }
}
