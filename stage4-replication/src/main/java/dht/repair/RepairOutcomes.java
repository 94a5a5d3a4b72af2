package dht.repair;

/** Is notified of the outcome of each version that a repair sends to a replica. Thread-safe. */
interface RepairOutcomes {
    void repaired();

    void repairFailed();

    /** The version was not sent, because the replica was behind. */
    void repairDropped();
}
