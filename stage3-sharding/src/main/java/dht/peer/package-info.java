/**
 * How nodes talk to each other. A {@link dht.peer.RemoteNode} sends requests to another node;
 * {@link dht.peer.Peers} are all the other nodes. {@link dht.peer.PeerHealth} has the {@link
 * dht.peer.CircuitBreaker} of a node, which rejects requests while the node doesn't answer, and its
 * {@link dht.peer.PeerCounts}, which {@link dht.peer.PeerMetrics} publish. A {@link
 * dht.peer.ForwardingService} forwards requests for a node's keys to that node. {@link
 * dht.peer.ForwardedAnswer} turns the {@link dht.peer.PeerAnswer} into the answer to the client.
 *
 * <p>A {@link dht.peer.Peer} is a node that is asked over {@link dht.peer.PeerConnections}. Their
 * limits are {@link dht.peer.PeerOptions}, which come from {@link dht.peer.PeerFlags}. A request is
 * a {@link dht.peer.PeerCall}. It is sent over a {@link dht.peer.PeerConnection}, whose thread
 * waits for the answer. A {@link dht.peer.TimeoutThread} checks deadlines in {@link
 * dht.peer.TimeoutQueue}s. {@link dht.peer.RequestWriter} writes requests, with {@link
 * dht.peer.PercentEncoder}. {@link dht.peer.AnswerReader} reads answers, with {@link
 * dht.peer.AnswerHead}. {@link dht.peer.NameCache} limits how long the JVM remembers the addresses
 * of names. In the node that is asked, the {@link dht.peer.InternalGate} checks {@link
 * dht.peer.Credentials}.
 */
package dht.peer;
