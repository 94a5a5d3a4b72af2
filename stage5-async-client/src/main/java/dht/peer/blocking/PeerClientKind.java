package dht.peer.blocking;

/** Which client asks other nodes. */
public enum PeerClientKind {
    /** Stage 3's, over one-nio's connections; a thread waits for each answer. */
    ONE_NIO,
    /** The JDK's. */
    JDK
}
