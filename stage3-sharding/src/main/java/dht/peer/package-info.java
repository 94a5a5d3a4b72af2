/**
 * How nodes talk to each other. A {@link dht.peer.Peer} is another node as what answers for its
 * keys: {@link dht.peer.PeerOptions}, from {@link dht.peer.PeerFlags}, bound what may wait for it,
 * a {@link dht.peer.CircuitBreaker} keeps requests from it while it doesn't answer, and {@link
 * dht.peer.PeerCounts} counts, for {@link dht.peer.PeerMetrics}; {@link dht.peer.Peers} are all of
 * them. A {@link dht.peer.PeerClient} asks it: a {@link dht.peer.PeerExchange} writes the request,
 * with {@link dht.peer.PercentEncoder}, and reads the answer, with {@link dht.peer.AnswerHead}; the
 * {@link dht.peer.PeerAnswer} is passed on by {@link dht.peer.ForwardedAnswer}. On the other side
 * the {@link dht.peer.InternalGate} asks for {@link dht.peer.Credentials}.
 */
package dht.peer;
