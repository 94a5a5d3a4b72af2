package dht.replication;

import dht.http.EventCounter;

/** Counts the outcomes of requests that a node has coordinated. Thread-safe. */
public final class ReplicationCounts {
    private final EventCounter reads = new EventCounter();
    private final EventCounter writes = new EventCounter();
    private final EventCounter restamped = new EventCounter();
    private final EventCounter writeBacks = new EventCounter();
    private final EventCounter tooFew = new EventCounter();

    void readAnswered() {
        reads.increment();
    }

    void writeAcknowledged() {
        writes.increment();
    }

    void stampedAnew() {
        restamped.increment();
    }

    void writtenBack() {
        writeBacks.increment();
    }

    void tooFewReplicas() {
        tooFew.increment();
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
