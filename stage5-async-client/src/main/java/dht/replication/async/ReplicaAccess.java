package dht.replication.async;

import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import dht.http.MemoryBudget;
import dht.peer.Credentials;
import dht.peer.Peer;
import dht.peer.PeerMetrics;
import dht.peer.PeerOptions;
import dht.peer.Peers;
import dht.peer.RemoteNode;
import dht.peer.async.AsyncClient;
import dht.peer.async.AsyncPeer;
import dht.peer.async.AsyncPeerMetrics;
import dht.peer.async.CallSender;
import dht.peer.async.PeerTransport;
import dht.peer.batch.BatchSender;
import dht.peer.blocking.BlockingPeer;
import dht.peer.blocking.PeerClientKind;
import dht.replication.CoordinatorContext;
import dht.replication.FanOut;
import dht.replication.SequentialFanOut;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Optional;

/** The peers and the fan-out that the options describe. Thread-safe. */
public final class ReplicaAccess implements AutoCloseable {
    private final FanOutKind fanOut;
    private final PeerTransport transport;
    private final Peers peers;
    private final Optional<Hedges> hedges;

    private ReplicaAccess(
            FanOutKind fanOut, PeerTransport transport, Peers peers, Optional<Hedges> hedges) {
        this.fanOut = fanOut;
        this.transport = transport;
        this.peers = peers;
        this.hedges = hedges;
    }

    static ReplicaAccess open(
            FanOutFlags flags,
            Topology topology,
            Credentials credentials,
            PeerOptions options,
            MemoryBudget answerMemory) {
        PeerTransport transport = new PeerTransport(flags.executor(), options.connectTimeout());
        try {
            Opener opener = new Opener(flags, credentials, options, answerMemory, transport);
            Optional<Hedges> hedges =
                    flags.hedgePercentile()
                            .filter(_ -> flags.fanOut() != FanOutKind.SEQUENTIAL)
                            .map(percentile -> new Hedges(percentile, transport.timeoutThread()));
            // Last: its threads would have to be ended, too.
            Peers peers = new Peers(topology, credentials, opener::open);
            return new ReplicaAccess(flags.fanOut(), transport, peers, hedges);
        } catch (Throwable e) { // Also errors: the transport's threads must be ended.
            transport.close();
            throw e;
        }
    }

    private record Opener(
            FanOutFlags flags,
            Credentials credentials,
            PeerOptions options,
            MemoryBudget answerMemory,
            PeerTransport transport) {
        RemoteNode open(NodeAddress node) {
            if (flags.client() == PeerClientKind.ONE_NIO) {
                return new Peer(node, credentials, options, answerMemory);
            }
            return switch (flags.fanOut()) {
                case ASYNC -> openAsync(node);
                case PARALLEL, SEQUENTIAL ->
                        BlockingPeer.overJdkClient(
                                node, credentials, options, transport, answerMemory);
            };
        }

        private RemoteNode openAsync(NodeAddress node) {
            var client = new AsyncClient(node, credentials, options, transport, answerMemory);
            CallSender sender =
                    flags.batchMax() == 1
                            ? client
                            : new BatchSender(flags.batchMax(), client, transport);
            return new AsyncPeer(client, sender, flags.requestsMax(), options.drainTimeout());
        }
    }

    /** Creates the coordinator's fan-out. */
    public FanOut fanOut(CoordinatorContext context) {
        return switch (fanOut) {
            case SEQUENTIAL -> new SequentialFanOut(context);
            case PARALLEL, ASYNC -> new ParallelFanOut(context, hedges, transport.timeoutThread());
        };
    }

    public Peers peers() {
        return peers;
    }

    /**
     * Prepares the client before the first request needs it.
     *
     * @param self this node's URL, which accepts requests
     */
    public void warmUp(String self) {
        transport.warmUp(self);
    }

    /** Publishes the metrics of the peers and of hedges. */
    public void watch(PrometheusRegistry registry) {
        new PeerMetrics(registry).watch(peers);
        AsyncPeerMetrics.watch(peers.all(), registry);
        hedges.ifPresent(watched -> HedgeMetrics.watch(watched, registry));
    }

    /**
     * Waits for requests in flight, until a deadline. Then closes the connections, which ends the
     * other requests with a failure, and waits for their receivers, until another deadline. A
     * receiver that takes longer than that may still run when this returns.
     */
    @Override
    public void close() {
        try {
            peers.close();
        } finally {
            try {
                transport.close();
            } finally {
                // Closing the transport has failed requests, and their receivers may still run.
                peers.close();
            }
        }
    }
}
