package dht.http;

/**
 * The share of one connection in the memory budget of all connections: waiting input, heads,
 * bodies, waiting answers, and the buffer of a range. Bytes are taken before the memory is
 * allocated, those of an answer when it has to wait.
 *
 * <p>Used under the connection's monitor.
 */
final class ConnectionMemory {
    /**
     * A connection that holds no more than this may use the budget's reserve. It is enough for an
     * ordinary small request.
     */
    static final int LITTLE_BYTES_MAX = 8 << 10;

    private final MemoryBudget budget;
    private final Runnable onScarcity;
    private long heldBytes;

    /**
     * @param onScarcity called when bytes are requested while more than half of the budget is taken
     */
    ConnectionMemory(MemoryBudget budget, Runnable onScarcity) {
        this.budget = budget;
        this.onScarcity = onScarcity;
    }

    /** Takes bytes; returns false if too few are left, given what this connection already holds. */
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
