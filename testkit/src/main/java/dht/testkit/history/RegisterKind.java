package dht.testkit.history;

/** What a key promises to its readers, in the terms of Lamport's registers. */
public enum RegisterKind {
    /** A read returns the last write before it, or a write that is concurrent with it. */
    REGULAR,

    /** Each operation happens at one moment between its start and its end. */
    ATOMIC
}
