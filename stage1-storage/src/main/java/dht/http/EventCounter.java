package dht.http;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts events of requests. Counting never throws: an event for which there is no memory is left
 * out. So a request can be counted before it is answered. Thread-safe.
 */
public final class EventCounter {
    private final LongAdder count = new LongAdder();

    public void increment() {
        try {
            count.increment();
        } catch (OutOfMemoryError _) { // Threads that compete for the counter make it grow.
        }
    }

    /** The number of events so far. */
    public long sum() {
        return count.sum();
    }
}
