package dht.http;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes that may be taken together. Thread-safe. */
public final class MemoryBudget {
    private final long bytesMax;
    private final AtomicLong takenBytes = new AtomicLong();

    public MemoryBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Takes some, unless that would be too much in all. */
    public boolean tryTake(long bytes) {
        if (takenBytes.addAndGet(bytes) <= bytesMax) {
            return true;
        }
        takenBytes.addAndGet(-bytes);
        return false;
    }

    public void giveBack(long bytes) {
        takenBytes.addAndGet(-bytes);
    }
}
