/**
 * Sends requests to other nodes with threads that wait for the answers, for comparison with {@link
 * dht.peer.async}. A {@link dht.peer.blocking.BlockingPeer} has a queue and threads. They send
 * requests with a {@link dht.peer.blocking.JdkBlockingClient}, which uses the same JDK client.
 * {@link dht.peer.blocking.PeerClientKind} names the clients that can be compared.
 */
package dht.peer.blocking;
