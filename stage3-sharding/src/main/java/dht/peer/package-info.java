/**
 * How nodes talk to each other. A {@link dht.peer.RemoteNode} is another node as who asks it sees
 * it; {@link dht.peer.Peers} are all of them. Its {@link dht.peer.PeerHealth} keeps a {@link
 * dht.peer.CircuitBreaker}, which holds requests back while it doesn't answer, and {@link
 * dht.peer.PeerCounts}, for {@link dht.peer.PeerMetrics}. A {@link dht.peer.ForwardingService}
 * answers for its keys, and passes the {@link dht.peer.PeerAnswer} on with {@link
 * dht.peer.ForwardedAnswer}.
 *
 * <p>A {@link dht.peer.Peer} asks with a {@link dht.peer.BlockingClient}: {@link
 * dht.peer.PeerOptions}, from {@link dht.peer.PeerFlags}, bound what may wait for it. That is a
 * {@link dht.peer.PeerClient}: a {@link dht.peer.PeerExchange} writes the request, with {@link
 * dht.peer.PercentEncoder}, and reads the answer, with {@link dht.peer.AnswerHead}. On the other
 * side the {@link dht.peer.InternalGate} asks for {@link dht.peer.Credentials}.
 */
package dht.peer;
