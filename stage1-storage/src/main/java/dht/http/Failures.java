package dht.http;

import dht.storage.CorruptionException;
import dht.storage.StorageUnavailableException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Translates failures into answers, and logs them: a damaged place once, any other kind of failure
 * at most once a minute. Only the first {@value #REMEMBERED_MAX} damaged places, and the first
 * {@value #REMEMBERED_MAX} other kinds, are logged.
 *
 * <p>Thread-safe.
 */
final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final int REMEMBERED_MAX = 1000;
    private static final long LOG_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoClock;
    private final Set<String> damagedPlaces = ConcurrentHashMap.newKeySet();
    private final Map<String, Long> loggedAtNanos = new ConcurrentHashMap<>();

    /**
     * @param nanoClock such as {@link System#nanoTime}
     */
    Failures(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Answers the client, if the request is not answered yet. */
    void answer(Throwable failure, Responder responder) {
        try {
            Response response = responseTo(failure);
            if (!responder.isAnswered()) {
                responder.respond(response);
            }
        } catch (OutOfMemoryError e) {
            responder.giveUp();
        }
    }

    Response responseTo(Throwable failure) {
        return switch (failure) {
            case StorageUnavailableException unavailable -> {
                logSeldom("refused", "refused: " + unavailable.getMessage(), null);
                yield Response.unavailable(unavailable.getMessage());
            }
            case CorruptionException corruption -> {
                logOnce(corruption);
                yield Response.of(Status.INTERNAL_ERROR, corruption.getMessage());
            }
            case OutOfMemoryError memory -> {
                logSeldom("memory", "out of memory: " + memory.getMessage(), null);
                yield Response.unavailable("out of memory");
            }
            default -> {
                logSeldom(origin(failure), "request failed: " + failure, failure);
                yield Response.of(Status.INTERNAL_ERROR, "internal error: see the server's log");
            }
        };
    }

    /** Only logs the failure: the client cannot get another answer. Throws nothing. */
    void log(Throwable failure) {
        try {
            responseTo(failure);
        } catch (OutOfMemoryError _) { // The failure was most likely the same one.
        }
    }

    /**
     * Identifies a kind of failure: its class, and where it was thrown. The message is not used,
     * because it may differ from request to request.
     */
    private static String origin(Throwable failure) {
        StackTraceElement[] frames = failure.getStackTrace();
        return failure.getClass().getName() + (frames.length == 0 ? "" : "@" + frames[0]);
    }

    /** Logs a damaged place only once, because it stays damaged. */
    private void logOnce(CorruptionException corruption) {
        String place = corruption.file() + '@' + corruption.offsetBytes();
        if (damagedPlaces.size() < REMEMBERED_MAX && damagedPlaces.add(place)) {
            boolean isLogged = false;
            try {
                LOG.error(corruption.getMessage());
                isLogged = true;
            } finally {
                if (!isLogged) { // There was no memory for it.
                    damagedPlaces.remove(place);
                }
            }
        }
    }

    /** Logs, at most once a minute, a failure that may happen with each request. */
    void logSeldom(String what, String message) {
        logSeldom(what, message, null);
    }

    private void logSeldom(String what, String message, Throwable failure) {
        long nowNanos = nanoClock.getAsLong();
        Long lastNanos = loggedAtNanos.get(what);
        boolean isDue =
                lastNanos == null ? isFirst(what, nowNanos) : isDueAgain(what, lastNanos, nowNanos);
        if (isDue) {
            LOG.error(message, failure);
        }
    }

    private boolean isFirst(String what, long nowNanos) {
        return loggedAtNanos.size() < REMEMBERED_MAX
                && loggedAtNanos.putIfAbsent(what, nowNanos) == null;
    }

    private boolean isDueAgain(String what, Long lastNanos, long nowNanos) {
        return nowNanos - lastNanos >= LOG_PAUSE_NANOS
                && loggedAtNanos.replace(what, lastNanos, nowNanos);
    }
}
