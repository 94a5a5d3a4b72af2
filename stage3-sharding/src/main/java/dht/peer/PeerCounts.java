package dht.peer;

import dht.http.EventCounter;

/** Counts the outcomes of requests to one node. Thread-safe. */
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

    /** The node answered, with any status. */
    public long answeredCount() {
        return answered.sum();
    }

    /** The node could not be reached: 502. */
    public long unreachableCount() {
        return unreachable.sum();
    }

    /** The node did not answer in time: 504. */
    public long silentCount() {
        return silent.sum();
    }

    /** The request was not sent, because the circuit breaker rejected it: 502 or 504. */
    public long refusedCount() {
        return refused.sum();
    }

    /** The request was not sent, because the queue was full: 503. */
    public long busyCount() {
        return busy.sum();
    }
}
