package dht.http;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits the log of failures that may happen with each request: each kind of failure is logged at
 * most once a minute, and only the first {@value #KINDS_MAX} kinds are logged.
 *
 * <p>Thread-safe.
 */
final class LogLimit {
    private static final int KINDS_MAX = 1000;
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** The process has one. It is created together with the first server, while there is memory. */
    static final LogLimit OF_PROCESS = new LogLimit(System::nanoTime);

    private final LongSupplier nanoClock;
    private final Map<String, Long> loggedAtNanos = new ConcurrentHashMap<>();

    /**
     * @param nanoClock such as {@link System#nanoTime}
     */
    LogLimit(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /**
     * Identifies where a failure comes from: its class, and where it was thrown. The message is not
     * used, because it may differ from request to request.
     */
    static String origin(Throwable failure) {
        StackTraceElement[] frames = failure.getStackTrace();
        return failure.getClass().getName() + (frames.length == 0 ? "" : "@" + frames[0]);
    }

    /**
     * Runs {@code log}, unless this kind of failure was logged in the minute before. If {@code log}
     * throws, the kind counts as not logged.
     */
    void log(String kind, Runnable log) {
        long nowNanos = nanoClock.getAsLong();
        Long lastNanos = loggedAtNanos.get(kind);
        boolean isDue =
                lastNanos == null ? isFirst(kind, nowNanos) : isDueAgain(kind, lastNanos, nowNanos);
        if (!isDue) {
            return;
        }
        boolean isLogged = false;
        try {
            log.run();
            isLogged = true;
        } finally {
            if (!isLogged) { // There was no memory for it.
                loggedAtNanos.remove(kind);
            }
        }
    }

    private boolean isFirst(String kind, long nowNanos) {
        return loggedAtNanos.size() < KINDS_MAX
                && loggedAtNanos.putIfAbsent(kind, nowNanos) == null;
    }

    private boolean isDueAgain(String kind, Long lastNanos, long nowNanos) {
        return nowNanos - lastNanos >= PAUSE_NANOS
                && loggedAtNanos.replace(kind, lastNanos, nowNanos);
    }
}
