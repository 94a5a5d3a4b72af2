package dht.peer;

import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import dht.http.EntityService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.IntStream;

/** All other nodes of the cluster. Thread-safe. */
public final class Peers implements AutoCloseable {
    private final Topology topology;
    private final Credentials credentials;
    private final List<RemoteNode> peers;

    /**
     * @param opener makes what asks a node
     */
    public Peers(
            Topology topology, Credentials credentials, Function<NodeAddress, RemoteNode> opener) {
        this.topology = topology;
        this.credentials = credentials;
        this.peers =
                IntStream.range(0, topology.nodes().size())
                        .filter(node -> node != topology.self())
                        .mapToObj(topology.nodes()::get)
                        .map(opener)
                        .toList();
    }

    /** What answers for each node, by its index. */
    public List<EntityService> services(EntityService self) {
        List<EntityService> services = new ArrayList<>();
        peers.forEach(peer -> services.add(new ForwardingService(peer)));
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

    public List<RemoteNode> all() {
        return peers;
    }

    /** Where other nodes come in, with what this one shows them. */
    public InternalGate gate() {
        return new InternalGate(credentials);
    }

    /** All at once, so that it takes no longer than the slowest. */
    @Override
    public void close() {
        try (ExecutorService closers = Executors.newVirtualThreadPerTaskExecutor()) {
            peers.forEach(peer -> closers.execute(peer::close));
        }
    }
}
