package dht.testkit.history;

import dht.testkit.history.Operation.Outcome;

/**
 * A write, and the last moment at which it is known to be the newest: every write that was
 * acknowledged before {@link #newestAtNanos} must come before it. That moment is its own start, or
 * the start of a read that returned it.
 *
 * <p>For one thread.
 */
final class SeenWrite {
    private final Operation operation; // null: the state before all writes
    private final long endNanos;
    private long newestAtNanos;

    private SeenWrite(Operation operation, long endNanos, long newestAtNanos) {
        this.operation = operation;
        this.endNanos = endNanos;
        this.newestAtNanos = newestAtNanos;
    }

    static SeenWrite of(Operation operation) {
        var isAcknowledged = operation.outcome() == Outcome.OK;
        return new SeenWrite(
                operation,
                isAcknowledged ? operation.endNanos() : Long.MAX_VALUE,
                operation.startNanos());
    }

    /** The state of a key before all writes. */
    static SeenWrite nothing() {
        return new SeenWrite(null, Long.MIN_VALUE, Long.MIN_VALUE);
    }

    void seenBy(Operation read) {
        newestAtNanos = Math.max(newestAtNanos, read.startNanos());
    }

    Operation operation() {
        return operation;
    }

    boolean isNothing() {
        return operation == null;
    }

    boolean isAcknowledged() {
        return endNanos != Long.MAX_VALUE;
    }

    long startNanos() {
        return isNothing() ? Long.MIN_VALUE : operation.startNanos();
    }

    /** When it was acknowledged; {@link Long#MAX_VALUE} if it was not. */
    long endNanos() {
        return endNanos;
    }

    long newestAtNanos() {
        return newestAtNanos;
    }
}
