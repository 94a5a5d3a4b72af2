package dht.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A limit in bytes that several users share. A part of the budget can be reserved: only users that
 * hold little may take bytes of it. So a few users that hold much never block all others.
 *
 * <p>A caller that takes bytes gives them back exactly once. Thread-safe.
 */
public final class MemoryBudget {
    /** The reserve is the whole budget divided by this. */
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
     * A budget of which a quarter is reserved for users that hold little.
     *
     * @param littleBytesMax a user may use the reserve if it holds no more than this, including the
     *     bytes that it is taking
     */
    public static MemoryBudget withReserve(long bytesMax, long littleBytesMax) {
        return new MemoryBudget(bytesMax, bytesMax / RESERVE_SHARE, littleBytesMax);
    }

    /** Takes bytes for a user that holds none yet; returns false if the limit would be exceeded. */
    public boolean tryTake(long bytes) {
        return tryTake(bytes, 0);
    }

    /**
     * Takes bytes; returns false if the limit would be exceeded. Only a user that holds little may
     * use the reserve. May also return false if another thread tries to take bytes at the same
     * time: its bytes count until its try has failed.
     *
     * @param heldBytes what the user already holds
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
