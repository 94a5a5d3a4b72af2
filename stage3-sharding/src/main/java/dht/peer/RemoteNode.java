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
     * receiver gets the outcome exactly once. The receiver runs on the caller's thread or on
     * another one, and must not block.
     *
     * @param timestampMicros the stamp of the version to be written, or 0: then the node stamps it
     * @param receiver must not throw
     */
    void ask(EntityRequest request, long timestampMicros, Consumer<PeerAnswer> receiver);

    /** The circuit breaker and the counts of this node. */
    PeerHealth health();

    /** How many requests wait for a connection. */
    int queuedCount();

    /**
     * Whether the node answers, but more slowly than it is asked: its queue is at least half full.
     * A caller that is able to wait for the answer should do so. Otherwise the queue fills up, and
     * then rejects requests.
     */
    boolean isBehind();

    /**
     * Waits for requests in flight, until a deadline, and closes the connections. A second call
     * waits again, for requests that had not ended by the deadline.
     */
    @Override
    void close();
}
