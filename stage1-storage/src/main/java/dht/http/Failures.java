package dht.http;

import dht.storage.CorruptionException;
import dht.storage.StorageUnavailableException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Translates failures into answers, and logs them: a damaged place once, any other kind of failure
 * at most once a minute, see {@link LogLimit}. Only the first {@value #REMEMBERED_MAX} damaged
 * places are logged.
 *
 * <p>Thread-safe.
 */
final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final int REMEMBERED_MAX = 1000;

    private final Set<String> damagedPlaces = ConcurrentHashMap.newKeySet();
    private final LogLimit limit;

    /**
     * @param nanoClock such as {@link System#nanoTime}
     */
    Failures(LongSupplier nanoClock) {
        limit = new LogLimit(nanoClock);
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
                logSeldom("refused", "refused: " + unavailable.getMessage());
                yield Response.unavailable(unavailable.getMessage());
            }
            case CorruptionException corruption -> {
                logOnce(corruption);
                yield Response.of(Status.INTERNAL_ERROR, corruption.getMessage());
            }
            case OutOfMemoryError memory -> {
                logSeldom("memory", "out of memory: " + memory.getMessage());
                yield Response.unavailable("out of memory");
            }
            default -> {
                limit.log(
                        LogLimit.origin(failure),
                        () -> LOG.error("request failed: {}", failure.toString(), failure));
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
    void logSeldom(String kind, String message) {
        limit.log(kind, () -> LOG.error(message));
    }
}
