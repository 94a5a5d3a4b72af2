package dht.peer;

import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of requests to one node. Thread-safe. */
public final class PeerCounts {
    private final LongAdder answered = new LongAdder();
    private final LongAdder unreachable = new LongAdder();
    private final LongAdder silent = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder busy = new LongAdder();

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
