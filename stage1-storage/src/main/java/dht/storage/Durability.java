package dht.storage;

/** What an acknowledged write has survived by the time it is acknowledged. */
public enum Durability {
    /** Nothing: there is no log, and a write is safe only once its memtable is flushed. */
    NONE,
    /** Handed to the operating system: survives kill -9 of the process, not a power failure. */
    OS,
    /**
     * On the disk: survives a power failure. All writes that come while one fsync runs share the
     * next one (group commit).
     */
    FSYNC
}
