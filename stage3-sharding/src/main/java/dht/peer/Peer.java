package dht.peer;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import java.util.function.Consumer;

/**
 * Sends requests to another node over blocking connections. Each connection has a thread that waits
 * for answers. Each node has its own connections and its own queue, so a node that is slow or does
 * not answer delays only requests for its own keys. While its circuit breaker is open, requests
 * fail at once.
 *
 * <p>Thread-safe; doesn't block the caller.
 */
public final class Peer implements RemoteNode {
    /**
     * The path of requests that a node answers from its own storage, without asking other nodes.
     */
    public static final String ENTITY_PATH = "/internal/v0/entity";

    /** The stamp of the version that a request writes. */
    public static final String TIMESTAMP_PARAMETER = "timestamp";

    /** How many nodes hold the version that a request writes. If it is missing: all nodes. */
    public static final String FROM_PARAMETER = "from";

    private final NodeAddress address;
    private final PeerHealth health;
    private final PeerConnections connections;

    /**
     * @param answerMemory the memory limit for large values that are being passed from the node to
     *     clients
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

    /**
     * The receiver runs on a thread of this peer, on the caller's thread before this method
     * returns, or on the thread that closes this peer.
     */
    @Override
    public void ask(EntityRequest request, long timestampMicros, Consumer<PeerAnswer> receiver) {
        if (health.isRejecting()) {
            receiver.accept(health.rejectCircuitOpen());
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
