package dht.storage;

/**
 * Receives the outcome of an accepted write. One of the two methods is called, once: when the write
 * has the {@link Durability} that was configured, or when that has failed.
 *
 * <p>The call comes either in the writing thread, before the write returns, or in a thread of the
 * storage at any time. Writes that wait for a sync are notified in the order in which they were
 * accepted.
 *
 * <p>The methods must not block or throw, because all other writes wait for the same thread.
 */
public interface WriteListener {
    /** The write is durable, and every read that begins from now on sees it. */
    void durable();

    /**
     * It is unknown whether the write survives. The storage accepts no more writes until it is
     * opened again.
     */
    void failed(StorageException failure);
}
