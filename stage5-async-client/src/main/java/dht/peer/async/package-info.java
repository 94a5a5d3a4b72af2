/**
 * Asks other nodes with the JDK's client. An {@link dht.peer.async.AsyncPeer} begins an {@link
 * dht.peer.async.AsyncExchange} for each request, on the {@link dht.peer.async.PeerTransport} that
 * all share; while some are under way, a {@link dht.peer.async.Batcher} puts {@link
 * dht.peer.PeerCall}s into a {@link dht.peer.async.Batch}. {@link dht.peer.async.PeerRequests}
 * writes a {@link dht.peer.async.PeerRequest}, with a {@link dht.peer.async.ValuePublisher}; an
 * {@link dht.peer.async.AnswerBody} takes the answer, or {@link dht.peer.async.AnswerFailures} say
 * why there is none; a {@link dht.peer.TimeoutQueue} watches over the time. {@link
 * dht.peer.async.PeerExecutorKind} says on which threads.
 *
 * <p>For comparison, a {@link dht.peer.async.BlockingPeer} has threads that ask and wait, with a
 * {@link dht.peer.async.JdkBlockingClient}, over the same client as above. {@link
 * dht.peer.async.PeerClientKind} says who asks.
 */
package dht.peer.async;
