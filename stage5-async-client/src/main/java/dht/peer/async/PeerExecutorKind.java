package dht.peer.async;

/** Which threads read the answers that the JDK's client receives, and continue the requests. */
public enum PeerExecutorKind {
    /**
     * The client's own selector thread. Code that runs on it must not wait for another answer. Such
     * code may wait for the disk in one case: a hint for a missed write may need a new file, or
     * more blocks.
     */
    DIRECT,
    /** The threads of a pool, one per processor. */
    POOL
}
