package dht.testkit.node;

/**
 * An action or a property that only some kinds of nodes have. A test that needs one has {@link
 * dht.testkit.junit.Needs}; with other nodes it is reported as not run.
 */
public enum Ability {
    /** It can be ended at once, as by kill -9. */
    KILL,
    /** It can be paused and resumed, as by SIGSTOP and SIGCONT. */
    PAUSE,
    /** Its network to the other nodes can be cut, while clients still reach it. */
    NETWORK_CUT,
    /** Its network to the other nodes can be slowed down. */
    SLOW_NETWORK,
    /** It is a process, with signals and an exit code. */
    EXIT_CODE,
    /** The limit of its memory is known. */
    BOUNDED_MEMORY
}
