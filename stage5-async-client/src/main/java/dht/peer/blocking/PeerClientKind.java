package dht.peer.blocking;

/** The client that sends requests to other nodes. */
public enum PeerClientKind {
    /** The client of stage 3, over one-nio's connections; a thread waits for each answer. */
    ONE_NIO,
    /** The JDK's client. */
    JDK
}
