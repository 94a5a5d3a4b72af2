package dht.replication;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the outcomes of requests that a node has coordinated. If there is no memory to count one,
 * it is left out, and the request goes on. Thread-safe.
 */
public final class ReplicationCounts {
    private final LongAdder reads = new LongAdder();
    private final LongAdder writes = new LongAdder();
    private final LongAdder restamped = new LongAdder();
    private final LongAdder writeBacks = new LongAdder();
    private final LongAdder tooFew = new LongAdder();

    private static void count(LongAdder outcomes) {
        try {
            outcomes.increment();
        } catch (OutOfMemoryError _) { // The version of a read must still be sent, or closed.
        }
    }

    void readAnswered() {
        count(reads);
    }

    void writeAcknowledged() {
        count(writes);
    }

    void stampedAnew() {
        count(restamped);
    }

    void writtenBack() {
        count(writeBacks);
    }

    void tooFewReplicas() {
        count(tooFew);
    }

    /** Reads that enough replicas have answered. */
    public long readCount() {
        return reads.sum();
    }

    /** Writes that enough replicas have acknowledged. */
    public long writeCount() {
        return writes.sum();
    }

    /** Writes that found a newer version and got a new stamp. */
    public long restampedCount() {
        return restamped.sum();
    }

    /** Atomic reads that had to write their version to more replicas before the answer. */
    public long writeBackCount() {
        return writeBacks.sum();
    }

    /** Requests for which too few replicas could be reached. */
    public long tooFewCount() {
        return tooFew.sum();
    }
}
