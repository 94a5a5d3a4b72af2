package dht.storage.memory;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Something that is freed when its last holder lets go. Whoever makes it is its first holder.
 *
 * <p>Thread-safe.
 */
public abstract class RefCounted {
    private final AtomicInteger holders = new AtomicInteger(1);

    /**
     * Takes hold, unless the last holder has let go already.
     *
     * @return false if it is too late
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

    /** Takes hold of what the caller knows to be held by somebody. */
    public final void retain() {
        if (!tryRetain()) {
            throw new IllegalStateException("retained after it was freed: " + this);
        }
    }

    /** Lets go; the last one to do so frees it, in its own thread. */
    public final void release() {
        int left = holders.decrementAndGet();
        if (left == 0) {
            free();
        } else if (left < 0) {
            throw new IllegalStateException("released more often than retained: " + this);
        }
    }

    /** Called once, when nobody can be using it any more. */
    protected abstract void free();
}
