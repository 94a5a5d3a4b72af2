package dht.storage;

/**
 * A write was refused and had no effect: the memtables are full and flushing is too slow, the disk
 * is full, or the storage is closed. Reads still work. A later attempt may succeed. It has no stack
 * trace, because overload causes many of these.
 */
public final class StorageUnavailableException extends StorageException {
    public StorageUnavailableException(String message) {
        super(message, null, false);
    }
}
