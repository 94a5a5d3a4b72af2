/**
 * Sends requests to other nodes with the JDK's asynchronous HTTP client. An {@link
 * dht.peer.async.AsyncPeer} limits the number of {@link dht.peer.PeerCall}s to a node, and passes
 * each call to a {@link dht.peer.async.CallSender}. In the simplest case this is the node's {@link
 * dht.peer.async.AsyncClient}. It starts one {@link dht.peer.async.AsyncExchange} per message, on
 * the {@link dht.peer.async.PeerTransport} that all nodes share. {@link
 * dht.peer.async.PeerRequestFactory} creates a {@link dht.peer.async.PeerRequest} for the node's
 * {@link dht.peer.async.NumericAddress}; a {@link dht.peer.async.ValuePublisher} sends its value.
 * An {@link dht.peer.async.AnswerBody} receives the answer, or {@link dht.peer.async.RefusedBody}
 * refuses it. If there is no answer, {@link dht.peer.async.AnswerFailures} says why. A {@link
 * dht.peer.TimeoutQueue} checks deadlines. {@link dht.peer.async.PeerExecutorKind} says which
 * threads handle answers. {@link dht.peer.async.AsyncPeerMetrics} counts messages.
 *
 * <p>Related packages, for a second reading: with {@link dht.peer.batch}, several calls share a
 * message. With {@link dht.peer.inline}, a request with a short value needs one packet instead of
 * two. {@link dht.peer.blocking} uses threads that wait, for comparison.
 */
package dht.peer.async;
