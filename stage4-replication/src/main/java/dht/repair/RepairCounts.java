package dht.repair;

import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of read repair, hints and rebuilds. Thread-safe. */
final class RepairCounts implements RepairOutcomes {
    private final LongAdder readRepaired = new LongAdder();
    private final LongAdder readRepairFailed = new LongAdder();
    private final LongAdder readRepairDropped = new LongAdder();
    private final LongAdder hintsStored = new LongAdder();
    private final LongAdder rebuildStored = new LongAdder();
    private final LongAdder rebuildKnown = new LongAdder();
    private final LongAdder hintsDelivered = new LongAdder();
    private final LongAdder hintsExpired = new LongAdder();
    private final LongAdder hintsRejected = new LongAdder();
    private final LongAdder hintsWithoutRoom = new LongAdder();
    private final LongAdder hintsFailed = new LongAdder();
    private final LongAdder hintsDamaged = new LongAdder();

    @Override
    public void repaired() {
        readRepaired.increment();
    }

    @Override
    public void repairFailed() {
        readRepairFailed.increment();
    }

    @Override
    public void repairDropped() {
        readRepairDropped.increment();
    }

    void rebuildStored() {
        rebuildStored.increment();
    }

    void rebuildKnown() {
        rebuildKnown.increment();
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

    /** Hints that were stored since the start, including those that are already delivered. */
    long hintStoredCount() {
        return hintsStored.sum();
    }

    /** Hints that were delivered: their node has stored them. */
    long hintDeliveredCount() {
        return hintsDelivered.sum();
    }

    /** Hints that were dropped because they were too old. */
    long hintExpiredCount() {
        return hintsExpired.sum();
    }

    /** Hints that were dropped because their node rejected the stamp. */
    long hintRejectedCount() {
        return hintsRejected.sum();
    }

    /** Writes that were not kept because hints already use their disk limit. */
    long hintWithoutRoomCount() {
        return hintsWithoutRoom.sum();
    }

    /**
     * Writes that were not kept because storing them failed, for example because the disk or memory
     * was full.
     */
    long hintFailedCount() {
        return hintsFailed.sum();
    }

    /** Damage found in files of hints. */
    long hintDamageCount() {
        return hintsDamaged.sum();
    }

    /** The number of times that a write was missed and no hint of it is left. */
    long hintLostCount() {
        return hintsWithoutRoom.sum() + hintsFailed.sum() + hintsDamaged.sum();
    }

    /** Versions that read repair has written to a replica. */
    long readRepairedCount() {
        return readRepaired.sum();
    }

    /** Versions that read repair could not write to a replica. */
    long readRepairFailedCount() {
        return readRepairFailed.sum();
    }

    /** Repairs that were not tried, because the queue was full or the replica was behind. */
    long readRepairDroppedCount() {
        return readRepairDropped.sum();
    }

    /** Entries that a rebuild has received and stored. */
    long rebuildStoredCount() {
        return rebuildStored.sum();
    }

    /** Entries that a rebuild has received, and that this node already had. */
    long rebuildKnownCount() {
        return rebuildKnown.sum();
    }
}
