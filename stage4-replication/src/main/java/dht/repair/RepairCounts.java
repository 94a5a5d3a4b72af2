package dht.repair;

import dht.http.EventCounter;

/** Counts the outcomes of read repair, hints and rebuilds. Thread-safe. */
final class RepairCounts implements RepairOutcomes {
    private final EventCounter readRepaired = new EventCounter();
    private final EventCounter readRepairFailed = new EventCounter();
    private final EventCounter readRepairDropped = new EventCounter();
    private final EventCounter hintsStored = new EventCounter();
    private final EventCounter rebuildStored = new EventCounter();
    private final EventCounter rebuildKnown = new EventCounter();
    private final EventCounter hintsDelivered = new EventCounter();
    private final EventCounter hintsExpired = new EventCounter();
    private final EventCounter hintsRejected = new EventCounter();
    private final EventCounter hintsWithoutRoom = new EventCounter();
    private final EventCounter hintsFailed = new EventCounter();
    private final EventCounter hintsDamaged = new EventCounter();

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

    /**
     * Writes that were not kept because all hints together would have exceeded their disk limit.
     */
    long hintWithoutRoomCount() {
        return hintsWithoutRoom.sum();
    }

    /**
     * Writes that were not kept because storing them failed. For example, the disk or memory was
     * full, or the hints were closed.
     */
    long hintFailedCount() {
        return hintsFailed.sum();
    }

    /** The number of times that damage was found in a file of hints. */
    long hintDamageCount() {
        return hintsDamaged.sum();
    }

    /**
     * The number of events that lost hints: each write that was not kept, and each damage. A damage
     * may have lost several hints. Hints that were too old or rejected are not counted here.
     */
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
