package dht.repair;

/** Is notified of the outcome of each version that a repair sends to a replica. Thread-safe. */
interface RepairOutcomes {
    /** The replica has stored the version, or already had one that is at least as new. */
    void repaired();

    /** The replica has not confirmed that it has stored the version. */
    void repairFailed();

    /** The version was not sent, because the replica was behind. */
    void repairDropped();
}
