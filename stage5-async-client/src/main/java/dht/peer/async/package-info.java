/**
 * Asks other nodes with the JDK's client. An {@link dht.peer.async.AsyncPeer} bounds the {@link
 * dht.peer.PeerCall}s to a node, and hands each to a {@link dht.peer.async.CallSender}. That is the
 * node's {@link dht.peer.async.AsyncClient}, which begins an {@link dht.peer.async.AsyncExchange}
 * for each message, on the {@link dht.peer.async.PeerTransport} that all nodes share. {@link
 * dht.peer.async.PeerRequests} writes a {@link dht.peer.async.PeerRequest}, with a {@link
 * dht.peer.async.ValuePublisher}, to the node's {@link dht.peer.async.NumericAddress}. An {@link
 * dht.peer.async.AnswerBody} takes the answer, or {@link dht.peer.async.AnswerFailures} says why
 * there is none; a {@link dht.peer.TimeoutQueue} looks at the time. {@link
 * dht.peer.async.PeerExecutorKind} says on which threads. {@link dht.peer.async.AsyncPeerMetrics}
 * shows requests in flight.
 *
 * <p>Beside this room, for a second reading: {@link dht.peer.batch} lets calls share a message,
 * {@link dht.peer.inline} saves a packet for a short value, and {@link dht.peer.blocking} has
 * threads that wait, for comparison.
 */
package dht.peer.async;
