package dht.peer;

import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import dht.http.EntityService;
import dht.http.MemoryBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** All other nodes of the cluster. Thread-safe. */
public final class Peers implements AutoCloseable {
    private final Topology topology;
    private final Credentials credentials;
    private final List<Peer> peers;

    /**
     * @param answerMemory of large values on their way from other nodes to clients
     */
    public Peers(
            Topology topology,
            Credentials credentials,
            PeerOptions options,
            MemoryBudget answerMemory) {
        this.topology = topology;
        this.credentials = credentials;
        this.peers =
                IntStream.range(0, topology.nodes().size())
                        .filter(node -> node != topology.self())
                        .mapToObj(topology.nodes()::get)
                        .map(node -> new Peer(node, credentials, options, answerMemory))
                        .toList();
    }

    /** What answers for each node, by its index. */
    public List<EntityService> services(EntityService self) {
        List<EntityService> services = new ArrayList<>(peers);
        services.add(topology.self(), self);
        return services;
    }

    /** This node's address. */
    public NodeAddress selfAddress() {
        return topology.selfAddress();
    }

    /** This node's index. */
    public int self() {
        return topology.self();
    }

    public List<Peer> all() {
        return peers;
    }

    /** Where other nodes come in, with what this one shows them. */
    public InternalGate gate() {
        return new InternalGate(credentials);
    }

    @Override
    public void close() {
        peers.forEach(Peer::close);
    }
}
