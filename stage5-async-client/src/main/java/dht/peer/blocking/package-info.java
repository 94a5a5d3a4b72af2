/**
 * Asks other nodes with threads that wait, for comparison with {@link dht.peer.async}. A {@link
 * dht.peer.blocking.BlockingPeer} has a queue and threads. They wait in a {@link
 * dht.peer.blocking.JdkBlockingClient}, which uses the same JDK client. {@link
 * dht.peer.blocking.PeerClientKind} says which client asks.
 */
package dht.peer.blocking;
