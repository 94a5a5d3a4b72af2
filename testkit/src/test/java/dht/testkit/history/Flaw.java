package dht.testkit.history;

/** The faults that a simulated cluster can have. */
enum Flaw {
    NONE,
    ACK_COUNTED_TWICE,
    STAMP_TAKEN_BY_EACH_REPLICA,
    FIRST_ANSWER_TRUSTED,
    TOMBSTONE_NOT_KEPT,
    ARRIVAL_DECIDES,
    CLOCK_NEVER_ADVANCED,
    NEWER_VERSION_IGNORED,
    WRITE_FORGOTTEN,
    VALUES_MIXED,
    REFUSED_BUT_STORED
}
