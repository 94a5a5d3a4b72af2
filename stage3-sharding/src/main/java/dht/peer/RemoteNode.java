package dht.peer;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import java.util.function.Consumer;

/**
 * Sends requests to another node, which may be slow or not answer at all. The caller never waits:
 * each request has a receiver, which gets the outcome later.
 *
 * <p>Seam: stages 3 and 4 use blocking connections, with a {@link Peer}. Stage 5 uses asynchronous
 * connections.
 *
 * <p>Thread-safe.
 */
public interface RemoteNode extends AutoCloseable {
    NodeAddress address();

    /**
     * Sends a request that the node answers from its own storage, without asking other nodes. The
     * receiver gets the outcome exactly once, on the caller's thread or on another one. One
     * exception: if this method throws, for example an {@link OutOfMemoryError}, the receiver gets
     * nothing.
     *
     * @param timestampMicros the stamp of the version to be written, or 0: then the node stamps it
     * @param receiver must not throw, and must not wait for another node. Storing a hint may wait
     *     for this node's disk
     */
    void ask(EntityRequest request, long timestampMicros, Consumer<PeerAnswer> receiver);

    /** The circuit breaker and the counts of this node. */
    PeerHealth health();

    /**
     * How many requests wait until they can be sent: for a connection, for a thread, or in stage 5
     * for the next message.
     */
    int queuedCount();

    /**
     * Whether the node answers, but the number of requests that wait for it is at least half of its
     * limit. A caller that can wait for an answer before it sends the next request should then do
     * so. Otherwise the limit is reached, and further requests are refused.
     */
    boolean isBehind();

    /**
     * Waits for requests in flight, until a deadline that the implementation sets. Then closes the
     * connections, if they belong to this object; the connections of the JDK's client belong to
     * {@code dht.peer.async.PeerTransport}. A second call waits again, for requests that had not
     * ended by the deadline. After an {@link OutOfMemoryError}, it closes what is still open.
     */
    @Override
    void close();
}
