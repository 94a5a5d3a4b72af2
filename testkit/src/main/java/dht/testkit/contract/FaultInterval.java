package dht.testkit.contract;

import dht.testkit.history.Operation;

/**
 * A node, and the interval of its fault. Immutable.
 *
 * @param endNanos when the fault ended
 * @param backNanos when the node reached all nodes again
 */
record FaultInterval(String node, long beginNanos, long endNanos, long backNanos) {
    /** Whether the operation may fail because it went through this node. */
    boolean excuses(Operation operation) {
        return operation.node().equals(node) && meets(operation);
    }

    /** Whether they overlap, whichever node was asked. */
    boolean meets(Operation operation) {
        return operation.startNanos() <= backNanos && operation.endNanos() >= beginNanos;
    }

    boolean surrounds(Operation operation) {
        return operation.startNanos() >= beginNanos && operation.endNanos() <= endNanos;
    }
}
