package dht.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes that may be taken together. A part of them can be kept in reserve for those who hold
 * little, so that the few who hold much never stop all others.
 *
 * <p>A caller that takes bytes gives them back exactly once. Thread-safe.
 */
public final class MemoryBudget {
    /** One byte of so many is kept in reserve. */
    private static final int RESERVE_SHARE = 4;

    private final long bytesMax;
    private final long reserveBytes;
    private final long littleBytesMax;
    private final AtomicLong takenBytes = new AtomicLong();

    private MemoryBudget(long bytesMax, long reserveBytes, long littleBytesMax) {
        this.bytesMax = bytesMax;
        this.reserveBytes = reserveBytes;
        this.littleBytesMax = littleBytesMax;
    }

    /** A budget without a reserve. */
    public MemoryBudget(long bytesMax) {
        this(bytesMax, 0, 0);
    }

    /**
     * A budget of which a quarter is kept in reserve.
     *
     * @param littleBytesMax who holds no more than this may use the reserve
     */
    public static MemoryBudget withReserve(long bytesMax, long littleBytesMax) {
        return new MemoryBudget(bytesMax, bytesMax / RESERVE_SHARE, littleBytesMax);
    }

    /** Takes bytes for somebody who holds none yet, unless that would be too much in all. */
    public boolean tryTake(long bytes) {
        return tryTake(bytes, 0);
    }

    /**
     * Takes bytes, unless that would be too much in all.
     *
     * @param heldBytes what the taker holds already
     */
    public boolean tryTake(long bytes, long heldBytes) {
        boolean holdsLittle = bytes + heldBytes <= littleBytesMax;
        if (takenBytes.addAndGet(bytes) <= (holdsLittle ? bytesMax : bytesMax - reserveBytes)) {
            return true;
        }
        takenBytes.addAndGet(-bytes);
        return false;
    }

    public void giveBack(long bytes) {
        takenBytes.addAndGet(-bytes);
    }

    /** How many bytes are taken now. */
    public long takenBytes() {
        return takenBytes.get();
    }

    /** Whether more than half is taken. */
    boolean isScarce() {
        return takenBytes.get() > bytesMax / 2;
    }

    /** Whether only the reserve is left. */
    boolean isUsedUp() {
        return takenBytes.get() > bytesMax - reserveBytes;
    }

    long bytesMax() {
        return bytesMax;
    }
}
