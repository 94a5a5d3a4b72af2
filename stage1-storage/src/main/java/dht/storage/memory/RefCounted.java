package dht.storage.memory;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * An object that counts its references, and is freed when the last reference is released. The code
 * that creates it has the first reference.
 *
 * <p>Thread-safe.
 */
public abstract class RefCounted {
    private final AtomicInteger holders = new AtomicInteger(1);

    /**
     * Adds a reference, unless the last one was already released.
     *
     * @return false if the object was or will be freed
     */
    public final boolean tryRetain() {
        int count = holders.get();
        while (count > 0) {
            int witness = holders.compareAndExchange(count, count + 1);
            if (witness == count) {
                return true;
            }
            count = witness;
        }
        return false;
    }

    /** Adds a reference. The caller must know that another reference exists. */
    public final void retain() {
        if (!tryRetain()) {
            throw new IllegalStateException("retained after it was freed: " + this);
        }
    }

    /** Releases a reference. The thread that releases the last one frees the object. */
    public final void release() {
        int left = holders.decrementAndGet();
        if (left == 0) {
            free();
        } else if (left < 0) {
            throw new IllegalStateException("released more often than retained: " + this);
        }
    }

    /** Frees the object. Called once, when no thread can use it any more. */
    protected abstract void free();
}
