package dht.storage;

/** The storage could not do what it was asked; the subclass says whether waiting can help. */
public class StorageException extends RuntimeException {
    public StorageException(String message) {
        super(message);
    }

    public StorageException(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * For refusals, which are expected outcomes under load and must stay cheap: no stack trace is
     * taken.
     */
    StorageException(String message, Throwable cause, boolean writableStackTrace) {
        super(message, cause, false, writableStackTrace);
    }
}
