package dht.http;

import dht.storage.CorruptionException;
import dht.storage.StorageUnavailableException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what a failure means to the client, and tells the log about it once, not once a request.
 *
 * <p>Thread-safe.
 */
final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final int REMEMBERED_MAX = 1000;

    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    /** Tells the client, if nobody has answered yet. */
    void answer(Throwable failure, Responder responder) {
        Response response = responseTo(failure);
        if (!responder.isAnswered()) {
            responder.respond(response);
        }
    }

    Response responseTo(Throwable failure) {
        return switch (failure) {
            case StorageUnavailableException unavailable -> {
                logOnce("refused", "writes are refused: " + unavailable.getMessage(), null);
                yield Response.unavailable(unavailable.getMessage());
            }
            case CorruptionException corruption -> {
                logOnce(
                        corruption.file() + '@' + corruption.offsetBytes(),
                        corruption.getMessage(),
                        null);
                yield Response.of(Status.INTERNAL_ERROR, corruption.getMessage());
            }
            case OutOfMemoryError memory -> {
                logOnce("memory", "out of memory: " + memory.getMessage(), null);
                yield Response.unavailable("out of memory");
            }
            default -> {
                logOnce(failure.toString(), "request failed: " + failure, failure);
                yield Response.of(Status.INTERNAL_ERROR, "internal error: see the server's log");
            }
        };
    }

    private void logOnce(String what, String message, Throwable failure) {
        if (logged.size() < REMEMBERED_MAX && logged.add(what)) {
            LOG.error(message, failure);
        }
    }
}
