package dht.storage;

/** A failure of the storage. The subclass says whether a later attempt can succeed. */
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
