package dht.peer;

import dht.http.EventCounter;

/**
 * Counts the outcomes of requests to one node. The statuses below are those that a client of stage
 * 3 gets. Thread-safe.
 */
public final class PeerCounts {
    private final EventCounter answered = new EventCounter();
    private final EventCounter unreachable = new EventCounter();
    private final EventCounter silent = new EventCounter();
    private final EventCounter refused = new EventCounter();
    private final EventCounter busy = new EventCounter();

    void answered() {
        answered.increment();
    }

    void unreachable() {
        unreachable.increment();
    }

    void silent() {
        silent.increment();
    }

    void refused() {
        refused.increment();
    }

    void busy() {
        busy.increment();
    }

    /** The node answered, with any status, or began an answer for which this node had no memory. */
    public long answeredCount() {
        return answered.sum();
    }

    /** The node could not be reached, or sent no valid answer: 502. */
    public long unreachableCount() {
        return unreachable.sum();
    }

    /** The node did not answer in time: 504. */
    public long silentCount() {
        return silent.sum();
    }

    /** The request was not sent, because earlier requests failed: 502 or 504. */
    public long refusedCount() {
        return refused.sum();
    }

    /**
     * The queue was full or closed, or this node had no memory to send the request or to read its
     * answer: 503.
     */
    public long busyCount() {
        return busy.sum();
    }
}
