package dht.storage;

/**
 * The storage has refused a call, which had no effect. It has no stack trace, because overload
 * causes many of these.
 *
 * <p>A write is refused in these cases, and a later attempt may succeed: all memtables are full and
 * flushing is too slow; the disk is full or broken; too many writes wait for an fsync; the thread
 * was interrupted while it waited for a memtable. After a failed sync, all writes are refused until
 * the storage is opened again. Reads work in all these cases. After the storage was closed, reads
 * are refused, too.
 */
public final class StorageUnavailableException extends StorageException {
    public StorageUnavailableException(String message) {
        super(message, null, false);
    }
}
