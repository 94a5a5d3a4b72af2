package dht.testkit.contract;

import dht.testkit.history.Operation;

/**
 * The time during which one node had a fault. All times are by {@link System#nanoTime}. Immutable.
 *
 * @param endNanos when the fault ended
 * @param backNanos when the node could reach all nodes again
 */
record FaultInterval(String node, long beginNanos, long endNanos, long backNanos) {
    /**
     * Whether the operation may fail: it was sent to this node, and the node was faulty or
     * recovering.
     */
    boolean excuses(Operation operation) {
        return operation.node().equals(node) && meets(operation);
    }

    /** Whether the operation overlaps the fault, at any node. */
    boolean meets(Operation operation) {
        return operation.startNanos() <= backNanos && operation.endNanos() >= beginNanos;
    }

    boolean surrounds(Operation operation) {
        return operation.startNanos() >= beginNanos && operation.endNanos() <= endNanos;
    }
}
