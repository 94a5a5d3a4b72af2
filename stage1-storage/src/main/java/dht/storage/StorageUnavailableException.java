package dht.storage;

/**
 * A write was refused and left no trace: memtables are full and flushing cannot keep up, the disk
 * is full, or the storage is closed. Reads go on. Trying again later may succeed. Carries no stack
 * trace, since overload throws many of these.
 */
public final class StorageUnavailableException extends StorageException {
    public StorageUnavailableException(String message) {
        super(message, null, false);
    }
}
