package dht.storage;

/** When a write is acknowledged. This decides which failures an acknowledged write survives. */
public enum Durability {
    /**
     * At once. There is no log, so the write is only in memory. It is lost in any crash before its
     * memtable is flushed.
     */
    NONE,
    /**
     * When the operating system has the write. It survives kill -9 of the process, but not a power
     * failure.
     */
    OS,
    /**
     * When the write is on the disk. It survives a power failure. All writes that arrive during an
     * fsync share the next fsync (group commit).
     */
    FSYNC
}
