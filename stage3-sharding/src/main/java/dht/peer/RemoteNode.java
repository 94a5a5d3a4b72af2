package dht.peer;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import java.util.function.Consumer;

/**
 * Another node, as who asks it sees it: it may take a while, or not answer at all, but whoever asks
 * is told what became of it, and doesn't wait.
 *
 * <p>Seam: stages 3 and 4 ask over blocking connections, with a {@link Peer}; stage 5 over
 * asynchronous ones.
 *
 * <p>Thread-safe.
 */
public interface RemoteNode extends AutoCloseable {
    NodeAddress address();

    /**
     * Asks the node itself, which asks nobody else. Tells what became of it, once: on some thread
     * that must not be blocked, or at once on the caller's.
     *
     * @param timestampMicros the stamp of the version to be written, or 0: then the node stamps it
     * @param receiver must not throw
     */
    void ask(EntityRequest request, long timestampMicros, Consumer<PeerAnswer> receiver);

    /** How requests to it have fared. */
    PeerHealth health();

    /** How many requests wait for a connection. */
    int queuedCount();

    /**
     * Whether it does answer, but half of those wait for it who may: who can wait for its answer
     * had better do so, or it will soon refuse some.
     */
    boolean isBehind();

    /** Ends requests in flight, within a deadline, and closes the connections. */
    @Override
    void close();
}
