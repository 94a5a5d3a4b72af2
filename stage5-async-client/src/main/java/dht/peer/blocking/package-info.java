/**
 * Asks other nodes with threads that wait, to compare with {@link dht.peer.async}. A {@link
 * dht.peer.blocking.BlockingPeer} has threads and a queue, and a {@link
 * dht.peer.blocking.JdkBlockingClient} over the same JDK client. {@link
 * dht.peer.blocking.PeerClientKind} says which client asks.
 */
package dht.peer.blocking;
