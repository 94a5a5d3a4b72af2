package dht.http;

import dht.storage.CorruptionException;
import dht.storage.StorageUnavailableException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what a failure means to the client, and tells the log about it once a minute, not once a
 * request.
 *
 * <p>Thread-safe.
 */
final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final int REMEMBERED_MAX = 1000;

    private static final long LOG_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Map<String, Long> loggedAtNanos = new ConcurrentHashMap<>();

    /** Tells the client, if nobody has answered yet. */
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
                logSeldom("refused", "writes are refused: " + unavailable.getMessage(), null);
                yield Response.unavailable(unavailable.getMessage());
            }
            case CorruptionException corruption -> {
                logSeldom(
                        corruption.file() + '@' + corruption.offsetBytes(),
                        corruption.getMessage(),
                        null);
                yield Response.of(Status.INTERNAL_ERROR, corruption.getMessage());
            }
            case OutOfMemoryError memory -> {
                logSeldom("memory", "out of memory: " + memory.getMessage(), null);
                yield Response.unavailable("out of memory");
            }
            default -> {
                logSeldom(failure.toString(), "request failed: " + failure, failure);
                yield Response.of(Status.INTERNAL_ERROR, "internal error: see the server's log");
            }
        };
    }

    private void logSeldom(String what, String message, Throwable failure) {
        long nowNanos = System.nanoTime();
        Long lastNanos = loggedAtNanos.get(what);
        boolean isDue =
                lastNanos == null
                        ? loggedAtNanos.size() < REMEMBERED_MAX
                                && loggedAtNanos.putIfAbsent(what, nowNanos) == null
                        : nowNanos - lastNanos >= LOG_PAUSE_NANOS
                                && loggedAtNanos.replace(what, lastNanos, nowNanos);
        if (isDue) {
            LOG.error(message, failure);
        }
    }
}
