package dht.http;

import org.slf4j.Logger;

/**
 * Logs the failures that a thread survives. If there is no memory to log one, it is not logged, and
 * the thread goes on.
 *
 * <p>Not for other failures: where a caller can react to an {@link OutOfMemoryError}, it should get
 * one.
 */
public final class ErrorLog {
    private ErrorLog() {}

    /** Throws nothing. */
    public static void log(Logger log, String message, Throwable failure) {
        try {
            log.error(message, failure);
        } catch (OutOfMemoryError _) { // The failure was most likely the same one.
        }
    }

    /**
     * Throws nothing.
     *
     * @param message contains {@code {}}, in place of which {@code subject} is logged
     */
    public static void log(Logger log, String message, Object subject, Throwable failure) {
        try {
            log.error(message, subject, failure);
        } catch (OutOfMemoryError _) { // The failure was most likely the same one.
        }
    }
}
