package dht.peer.async;

/** Which threads read the answers that the JDK's client receives, and continue the requests. */
public enum PeerExecutorKind {
    /** The client's own selector thread. Code that it calls must not block. */
    DIRECT,
    /** The threads of a pool, one per processor. */
    POOL
}
