package dht.repair;

/** What a node knows about the completeness of its own data. */
enum NodePhase {
    /** The node does not know yet whether its data is complete, and asks the other nodes. */
    ASKING,
    /** The data is complete. Only in this phase does the node answer reads. */
    READY,
    /** The data is incomplete: the node copies it from the other nodes. */
    REBUILDING
}
