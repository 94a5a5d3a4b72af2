package dht.peer;

import java.util.concurrent.atomic.LongAdder;

/** What became of the requests to one node. Thread-safe. */
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

    /** It answered, whatever it said. */
    public long answeredCount() {
        return answered.sum();
    }

    /** There was no way to it: 502. */
    public long unreachableCount() {
        return unreachable.sum();
    }

    /** It did not answer in time: 504. */
    public long silentCount() {
        return silent.sum();
    }

    /** It wasn't asked, since it didn't answer others: 502 or 504. */
    public long refusedCount() {
        return refused.sum();
    }

    /** Too many waited for it: 503. */
    public long busyCount() {
        return busy.sum();
    }
}
