package dht.peer;

import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import dht.http.EntityService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/** All other nodes of the cluster. Thread-safe. */
public final class Peers implements AutoCloseable {
    private final Topology topology;
    private final Credentials credentials;
    private final List<RemoteNode> peers;

    /**
     * @param opener creates the peer for a node
     */
    public Peers(
            Topology topology, Credentials credentials, Function<NodeAddress, RemoteNode> opener) {
        this.topology = topology;
        this.credentials = credentials;
        this.peers = openAll(topology, opener);
    }

    private static List<RemoteNode> openAll(
            Topology topology, Function<NodeAddress, RemoteNode> opener) {
        List<RemoteNode> opened = new ArrayList<>(topology.nodes().size());
        try {
            for (NodeAddress node : topology.nodes()) {
                if (!node.equals(topology.selfAddress())) {
                    opened.add(opener.apply(node));
                }
            }
            return List.copyOf(opened);
        } catch (Throwable e) { // No memory for a thread: closes those that were opened.
            opened.forEach(RemoteNode::close);
            throw e;
        }
    }

    /** The service for each node's keys, by the node's index. */
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

    /**
     * Creates the gate that checks requests from other nodes. It expects the same credentials that
     * this node sends.
     */
    public InternalGate gate() {
        return new InternalGate(credentials);
    }

    /**
     * Closes all peers in parallel, so that closing takes only as long as the slowest peer needs.
     *
     * @throws IllegalStateException after all are closed, if closing some of them has failed
     */
    @Override
    public void close() {
        List<Future<?>> closings = new ArrayList<>(peers.size());
        try (ExecutorService closers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (RemoteNode peer : peers) {
                try {
                    closings.add(closers.submit(() -> close(peer)));
                } catch (OutOfMemoryError _) { // No memory for a thread.
                    close(peer);
                }
            }
        }
        List<Throwable> failures =
                closings.stream()
                        .filter(closing -> closing.state() == Future.State.FAILED)
                        .map(Future::exceptionNow)
                        .toList();
        if (!failures.isEmpty()) {
            var thrown = new IllegalStateException("cannot close a peer", failures.getFirst());
            failures.stream().skip(1).forEach(thrown::addSuppressed);
            throw thrown;
        }
    }

    private static void close(RemoteNode peer) {
        try {
            peer.close();
        } catch (OutOfMemoryError _) {
            peer.close(); // Continues where it has failed.
        }
    }
}
