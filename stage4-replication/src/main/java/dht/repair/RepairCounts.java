package dht.repair;

import java.util.concurrent.atomic.LongAdder;

/** Counts what was healed, and what was not. Thread-safe. */
final class RepairCounts {
    private final LongAdder readRepaired = new LongAdder();
    private final LongAdder readRepairFailed = new LongAdder();
    private final LongAdder readRepairDropped = new LongAdder();
    private final LongAdder hintsStored = new LongAdder();
    private final LongAdder hintsDelivered = new LongAdder();
    private final LongAdder hintsExpired = new LongAdder();
    private final LongAdder hintsRejected = new LongAdder();
    private final LongAdder hintsWithoutRoom = new LongAdder();
    private final LongAdder hintsFailed = new LongAdder();
    private final LongAdder hintsDamaged = new LongAdder();

    void readRepaired() {
        readRepaired.increment();
    }

    void readRepairFailed() {
        readRepairFailed.increment();
    }

    void readRepairDropped() {
        readRepairDropped.increment();
    }

    void hintStored() {
        hintsStored.increment();
    }

    void hintDelivered() {
        hintsDelivered.increment();
    }

    void hintExpired() {
        hintsExpired.increment();
    }

    void hintRejected() {
        hintsRejected.increment();
    }

    void hintWithoutRoom() {
        hintsWithoutRoom.increment();
    }

    void hintFailed() {
        hintsFailed.increment();
    }

    void hintsDamaged() {
        hintsDamaged.increment();
    }

    /** Writes that are kept for a node which has missed them, or were. */
    long hintStoredCount() {
        return hintsStored.sum();
    }

    /** Hints that their node has stored. */
    long hintDeliveredCount() {
        return hintsDelivered.sum();
    }

    /** Hints that were dropped since they were too old. */
    long hintExpiredCount() {
        return hintsExpired.sum();
    }

    /** Hints whose stamp their node does not believe. */
    long hintRejectedCount() {
        return hintsRejected.sum();
    }

    /** Writes that were not kept: hints take all the disk that they may. */
    long hintWithoutRoomCount() {
        return hintsWithoutRoom.sum();
    }

    /** Writes that were not kept: the disk, or memory, was full. */
    long hintFailedCount() {
        return hintsFailed.sum();
    }

    /** Files of hints that were damaged. */
    long hintDamageCount() {
        return hintsDamaged.sum();
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
