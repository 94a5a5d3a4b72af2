package dht.peer;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import java.util.function.Consumer;

/**
 * Another node, asked over connections that each have a thread which waits for answers. They and
 * their queue are its own, so that a node which is slow or silent holds up nobody but who asks for
 * its keys; one that is known not to answer isn't even asked.
 *
 * <p>Thread-safe; doesn't block the caller.
 */
public final class Peer implements RemoteNode {
    /** Where a node answers from its own storage, and asks nobody. */
    public static final String ENTITY_PATH = "/internal/v0/entity";

    /** The stamp of the version that a request writes. */
    public static final String TIMESTAMP_PARAMETER = "timestamp";

    private final NodeAddress address;
    private final PeerHealth health;
    private final PeerConnections connections;

    /**
     * @param answerMemory of large values on their way from the node to clients
     */
    public Peer(
            NodeAddress address,
            Credentials credentials,
            PeerOptions options,
            MemoryBudget answerMemory) {
        this(
                address,
                new PeerHealth(address, options),
                new PeerConnections(address, credentials, options, answerMemory));
    }

    Peer(NodeAddress address, PeerHealth health, PeerConnections connections) {
        this.address = address;
        this.health = health;
        this.connections = connections;
    }

    /** On one of the node's threads, or at once on the caller's. */
    @Override
    public void ask(EntityRequest request, long timestampMicros, Consumer<PeerAnswer> receiver) {
        if (health.isRejecting()) {
            receiver.accept(health.rejected());
        } else {
            connections.ask(new PeerCall(health, request, timestampMicros, receiver));
        }
    }

    @Override
    public NodeAddress address() {
        return address;
    }

    @Override
    public PeerHealth health() {
        return health;
    }

    @Override
    public int queuedCount() {
        return connections.waitingCount();
    }

    @Override
    public boolean isBehind() {
        return connections.isHalfFull() && !health.isFailing();
    }

    @Override
    public void close() {
        connections.close();
    }
}
