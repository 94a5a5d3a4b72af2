package dht.http;

/**
 * What one connection holds of the budget that all connections of a server share: input that waits,
 * heads, bodies, answers that wait. Bytes are taken before the memory is allocated.
 *
 * <p>Used under the connection's monitor.
 */
final class ConnectionMemory {
    /** A connection that holds no more may use the budget's reserve: an ordinary small request. */
    static final int LITTLE_BYTES_MAX = 8 << 10;

    private final MemoryBudget budget;
    private final Runnable onScarcity;
    private long heldBytes;

    /**
     * @param onScarcity called when bytes are wanted and more than half of all are taken
     */
    ConnectionMemory(MemoryBudget budget, Runnable onScarcity) {
        this.budget = budget;
        this.onScarcity = onScarcity;
    }

    /** Takes bytes, unless there are too few left for a connection that holds so much. */
    boolean tryTake(long bytes) {
        boolean isTaken = budget.tryTake(bytes, heldBytes);
        if (isTaken) {
            heldBytes += bytes;
        }
        if (budget.isScarce()) {
            onScarcity.run();
        }
        return isTaken;
    }

    void giveBack(long bytes) {
        heldBytes -= bytes;
        budget.giveBack(bytes);
    }

    boolean isScarce() {
        return budget.isScarce();
    }

    long heldBytes() {
        return heldBytes;
    }
}
