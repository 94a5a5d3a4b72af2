package dht.storage;

/**
 * A failure of the storage. It has two subclasses: {@link StorageUnavailableException} for refused
 * calls, and {@link CorruptionException} for damaged data.
 */
public class StorageException extends RuntimeException {
    public StorageException(String message) {
        super(message);
    }

    public StorageException(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * For rejected writes, which are frequent under load and must be cheap: without a stack trace.
     */
    StorageException(String message, Throwable cause, boolean writableStackTrace) {
        super(message, cause, false, writableStackTrace);
    }
}
