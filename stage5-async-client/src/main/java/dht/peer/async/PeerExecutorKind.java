package dht.peer.async;

/** Who reads the answers that the JDK's client gets, and goes on with what they decide. */
public enum PeerExecutorKind {
    /** The client's own selector thread: nothing that it calls waits for anything. */
    DIRECT,
    /** Threads of a pool, as many as processors. */
    POOL
}
