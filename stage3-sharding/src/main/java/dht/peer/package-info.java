/**
 * How nodes talk to each other. A {@link dht.peer.RemoteNode} is another node as who asks it sees
 * it; {@link dht.peer.Peers} are all of them. Its {@link dht.peer.PeerHealth} keeps a {@link
 * dht.peer.CircuitBreaker}, which holds requests back while it doesn't answer, and {@link
 * dht.peer.PeerCounts}, for {@link dht.peer.PeerMetrics}. A {@link dht.peer.ForwardingService}
 * answers for its keys, and passes the {@link dht.peer.PeerAnswer} on with {@link
 * dht.peer.ForwardedAnswer}.
 *
 * <p>A {@link dht.peer.Peer} asks over {@link dht.peer.PeerConnections}, which {@link
 * dht.peer.PeerOptions}, from {@link dht.peer.PeerFlags}, bound. A request is a {@link
 * dht.peer.PeerCall}, sent over a {@link dht.peer.PeerConnection} with a thread that waits for
 * answers, while a {@link dht.peer.TimeoutThread} looks at its {@link dht.peer.TimeoutQueue}s. A
 * {@link dht.peer.RequestWriter} writes requests, with {@link dht.peer.PercentEncoder}, an {@link
 * dht.peer.AnswerReader} reads answers, with {@link dht.peer.AnswerHead}. On the other side the
 * {@link dht.peer.InternalGate} asks for {@link dht.peer.Credentials}.
 */
package dht.peer;
