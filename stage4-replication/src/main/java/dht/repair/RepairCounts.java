package dht.repair;

import java.util.concurrent.atomic.LongAdder;

/** Counts what was healed, and what was not. Thread-safe. */
final class RepairCounts {
    private final LongAdder readRepaired = new LongAdder();
    private final LongAdder readRepairFailed = new LongAdder();
    private final LongAdder readRepairDropped = new LongAdder();

    void readRepaired() {
        readRepaired.increment();
    }

    void readRepairFailed() {
        readRepairFailed.increment();
    }

    void readRepairDropped() {
        readRepairDropped.increment();
    }

    /** Versions that a replica has stored because a read met it without them. */
    long readRepairedCount() {
        return readRepaired.sum();
    }

    /** Versions that a replica did not take. */
    long readRepairFailedCount() {
        return readRepairFailed.sum();
    }

    /** Repairs that were not tried: too many waited, or the replica was behind. */
    long readRepairDroppedCount() {
        return readRepairDropped.sum();
    }
}
