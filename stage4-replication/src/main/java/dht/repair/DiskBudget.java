package dht.repair;

import java.util.concurrent.atomic.AtomicLong;

/** Limits the disk space of all hints together. Thread-safe. */
final class DiskBudget {
    private final long bytesMax;
    private final AtomicLong takenBytes = new AtomicLong();

    DiskBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Takes bytes, unless the limit would be exceeded; returns whether they were taken. */
    boolean tryTake(long bytes) {
        if (takenBytes.addAndGet(bytes) <= bytesMax) {
            return true;
        }
        takenBytes.addAndGet(-bytes);
        return false;
    }

    /** Takes bytes that are already on disk, even if the limit is exceeded. */
    void take(long bytes) {
        takenBytes.addAndGet(bytes);
    }

    void giveBack(long bytes) {
        takenBytes.addAndGet(-bytes);
    }

    long takenBytes() {
        return takenBytes.get();
    }
}
