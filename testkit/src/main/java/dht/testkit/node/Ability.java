package dht.testkit.node;

/**
 * What some kinds of nodes can do and others cannot. A test that needs one says so, and is reported
 * where it can't run.
 */
public enum Ability {
    /** Ends at once, as by kill -9. */
    KILL,
    /** Stands still and goes on, as by SIGSTOP and SIGCONT. */
    PAUSE,
    /** Loses the network between it and the other nodes, not that between it and its clients. */
    NETWORK_CUT,
    /** Has a slow network between it and the other nodes. */
    SLOW_NETWORK,
    /** Is a process, with signals and an exit code. */
    EXIT_CODE,
    /** Has memory with a known bound. */
    BOUNDED_MEMORY
}
