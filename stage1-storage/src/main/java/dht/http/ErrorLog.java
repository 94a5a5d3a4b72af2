package dht.http;

import org.slf4j.Logger;

/**
 * Logs the failures that a thread survives, each kind at most once a minute: a failure may happen
 * with each request. The logger, the message, its subject, and the place where the failure was
 * thrown make a kind. If there is no memory to log a failure, it is not logged, and the thread goes
 * on.
 *
 * <p>Not for other failures: where a caller can react to an {@link OutOfMemoryError}, it should get
 * one.
 *
 * <p>Thread-safe.
 */
public final class ErrorLog {
    private ErrorLog() {}

    /** Throws nothing. */
    public static void log(Logger log, String message, Throwable failure) {
        log(log, message, "", failure); // A message without {} ignores its subject.
    }

    /**
     * Throws nothing.
     *
     * @param message contains {@code {}}, in place of which {@code subject} is logged
     * @param subject one of few, such as a node or a thread
     */
    public static void log(Logger log, String message, Object subject, Throwable failure) {
        try {
            String kind = String.join(" ", log.getName(), message, String.valueOf(subject));
            LogLimit.OF_PROCESS.log(
                    kind + ' ' + LogLimit.origin(failure),
                    () -> log.error(message, subject, failure));
        } catch (RuntimeException | Error _) {
            // Most likely, memory is exhausted, and the failure was the same one.
        }
    }
}
