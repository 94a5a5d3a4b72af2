package dht.storage;

/** When a write is acknowledged. This decides which failures an acknowledged write survives. */
public enum Durability {
    /**
     * Without a log: the write is in memory only, and is lost if the process ends before its
     * memtable is flushed.
     */
    NONE,
    /**
     * When the operating system has it: the write survives kill -9 of the process, but not a power
     * failure.
     */
    OS,
    /**
     * When it is on the disk: the write survives a power failure. All writes that arrive during an
     * fsync share the next one (group commit).
     */
    FSYNC
}
