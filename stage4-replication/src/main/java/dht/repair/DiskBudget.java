package dht.repair;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes on disk that all hints may take together. Thread-safe. */
final class DiskBudget {
    private final long bytesMax;
    private final AtomicLong takenBytes = new AtomicLong();

    DiskBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Takes bytes, unless that would be too much in all. */
    boolean tryTake(long bytes) {
        if (takenBytes.addAndGet(bytes) <= bytesMax) {
            return true;
        }
        takenBytes.addAndGet(-bytes);
        return false;
    }

    /** Takes bytes that are there already, however many. */
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
