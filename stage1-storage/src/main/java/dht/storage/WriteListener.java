package dht.storage;

/**
 * Receives the outcome of a write that was accepted: one call, of one of the two methods, when the
 * write is as durable as the storage is configured to make it, or when that has failed.
 *
 * <p>The call comes either in the writing thread, before the write returns, or later in a thread of
 * the storage. Writes are notified in the order in which they were accepted.
 *
 * <p>Must neither block nor throw: every other write waits for the same thread.
 */
public interface WriteListener {
    /** The write is durable, and every read that begins from now on sees it. */
    void durable();

    /** It is unknown whether the write survives, and the storage accepts no more writes. */
    void failed(StorageException failure);
}
