package dht.repair;

import dht.http.RequestException;
import dht.http.RequestExecutor;
import dht.http.Router;
import dht.peer.Peers;
import dht.peer.RemoteNode;
import dht.repair.RepairMessage.Head;
import dht.repair.VersionTree.Known;
import dht.replication.Healing;
import dht.replication.HybridLogicalClock;
import dht.replication.LocalReplica;
import dht.replication.PeerReplica;
import dht.replication.PlacementRecord;
import dht.replication.Replica;
import dht.sharding.Placement;
import dht.storage.Dao;
import dht.storage.StorageException;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Anti-entropy: compares this node's versions with those of each other node, and repairs the keys
 * that differ. No request from a client is needed. One thread compares with one node after the
 * other.
 *
 * <p>Thread-safe.
 */
final class AntiEntropy implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AntiEntropy.class);

    private final RepairOptions options;
    private final Membership membership;
    private final NodeClient client;
    private final Placement placement;
    private final Peers peers;
    private final LocalReplica local;
    private final HybridLogicalClock clock;
    private final Dao dao;
    private final ComparisonCounts counts = new ComparisonCounts();
    private final RepairRateLimiter limiter;
    private final ComparisonQueue queue;
    private final RepairThread thread = new RepairThread("anti-entropy", this::compareNext);

    /**
     * @param membership knows whether this node's data is complete
     * @param client must be closed first, because the thread may be waiting for an answer
     * @param local this node's replica, through which versions are stored
     * @param lostHere counts the writes that this node has not stored, and the writes that other
     *     nodes have missed and for which there is no hint
     */
    AntiEntropy(
            RepairOptions options,
            Membership membership,
            NodeClient client,
            Placement placement,
            Peers peers,
            LocalReplica local,
            HybridLogicalClock clock,
            Dao dao,
            LongSupplier lostHere) {
        this.options = options;
        this.membership = membership;
        this.client = client;
        this.placement = placement;
        this.peers = peers;
        this.local = local;
        this.clock = clock;
        this.dao = dao;
        this.limiter =
                new RepairRateLimiter(
                        options.keysPerSecondMax(), System::nanoTime, counts.readCost);
        List<ComparisonTurn> turns = new ArrayList<>();
        for (RemoteNode peer : peers.all()) {
            turns.add(
                    new ComparisonTurn(
                            peer,
                            options.compareInterval().toNanos(),
                            peers.self() < index(peer),
                            lostHere,
                            System.nanoTime()));
        }
        this.queue = new ComparisonQueue(turns, System::nanoTime);
    }

    /** The index of another node in the cluster. */
    private int index(RemoteNode peer) {
        int position = peers.all().indexOf(peer);
        return position < peers.self() ? position : position + 1;
    }

    /** Starts the thread. Must be called after the server has begun to accept requests. */
    void start() {
        thread.start();
    }

    /** Adds the routes for other nodes, and for the {@code repair} command. */
    void route(Router router, RequestExecutor executor) {
        new ComparisonService(this::tree, membership, queue, executor).route(router);
    }

    /** Publishes the metrics. */
    void watch(PrometheusRegistry registry) {
        RepairMetrics.watch(counts, queue, registry);
    }

    private VersionTree tree(int other, long forgottenMicros) throws RequestException {
        if (other < 0 || other >= placement.nodeCount() || other == peers.self()) {
            throw RequestException.badRequest("repair: no other node has index=" + other);
        }
        return new VersionTree(dao, new Sharing(placement, peers.self(), other), forgottenMicros);
    }

    private void compareNext() throws InterruptedException {
        ComparisonTurn turn = queue.take();
        boolean isEnded = false;
        try {
            compare(turn);
            isEnded = true;
        } finally {
            if (!isEnded) { // For example, memory is exhausted.
                counts.failed.increment();
                queue.failed(turn, "reason=see the log", true);
            }
        }
    }

    private void compare(ComparisonTurn turn) throws InterruptedException {
        RemoteNode peer = turn.peer();
        long startNanos = System.nanoTime();
        long startBytes = counts.bytes.sum();
        long startSent = counts.versionsSent.sum();
        Comparison comparison;
        try {
            comparison = comparison(peer);
            comparison.run();
        } catch (IOException | RequestException | StorageException e) {
            failed(turn, e);
            return;
        }
        long sent = counts.versionsSent.sum() - startSent;
        String summary =
                "repaired=%d unrepaired=%d bytes=%d seconds=%.1f"
                        .formatted(
                                sent,
                                comparison.unrepairedCount(),
                                counts.bytes.sum() - startBytes,
                                (System.nanoTime() - startNanos)
                                        / (double) TimeUnit.SECONDS.toNanos(1));
        if (sent + comparison.unrepairedCount() > 0) {
            counts.different.increment();
            LOG.info("compared with node {}: {}", peer.address(), summary);
        } else {
            counts.same.increment();
        }
        if (comparison.unrepairedCount() == 0) {
            queue.done(turn, summary);
        } else {
            queue.failed(turn, summary, false);
        }
    }

    /**
     * Logs nothing about a node that does not answer, because {@link dht.peer.PeerHealth} logs it.
     */
    private void failed(ComparisonTurn turn, Exception e) {
        counts.failed.increment();
        boolean isTemporary =
                e instanceof NodeClient.Refused refused
                        ? refused.isTemporary()
                        : e instanceof IOException;
        if (!isTemporary) {
            LOG.warn("cannot compare with node {}: {}", turn.peer().address(), e.getMessage());
        }
        queue.failed(turn, "reason=" + e.getMessage(), isTemporary);
    }

    private Comparison comparison(RemoteNode peer) throws IOException, RequestException {
        requireComplete();
        InstantSource timeOfDay = InstantSource.system();
        long forgottenMicros =
                TimeUnit.MILLISECONDS.toMicros(
                        timeOfDay.millis() - options.tombstoneGrace().toMillis());
        Replica other = new PeerReplica(peer, clock, Healing.NONE);
        KeyRepair repair =
                new KeyRepair(
                        new Pair(local, dao, other, new OtherEntries(client, peer.address())),
                        placement.nodeCount(),
                        options.tombstoneGrace(),
                        timeOfDay,
                        counts);
        Head head = new Head(peers.self(), forgottenMicros);
        return new Comparison(
                tree(index(peer), forgottenMicros),
                new RemoteTree(client, peer, head, counts.bytes),
                version -> repair(version, repair, peer),
                limiter);
    }

    /** This node and the one that it is compared with. */
    private record Pair(LocalReplica local, Dao dao, Replica other, OtherEntries entries)
            implements KeyRepair.Holders {
        @Override
        public List<Replica> of(byte[] key, int from) {
            return List.of(local, other);
        }

        @Override
        public OptionalInt recorded(Replica replica, byte[] key, long timestampMicros) {
            if (replica == local) {
                return PlacementRecord.fromIfKept(dao, key, timestampMicros);
            }
            try {
                return entries.recorded(key, timestampMicros);
            } catch (IOException e) {
                LOG.debug("a node does not say how many nodes hold a version", e);
                return OptionalInt.empty();
            }
        }
    }

    private void requireComplete() throws IOException {
        String refusal = membership.refusal();
        if (refusal != null) {
            throw new IOException(refusal);
        }
    }

    private boolean repair(Known version, KeyRepair repair, RemoteNode peer)
            throws IOException, InterruptedException {
        requireComplete(); // This node may have been suspended since the comparison began.
        int from = version.from() == 0 ? placement.nodeCount() : version.from();
        boolean isRepaired = repair.repair(version.key(), from, version.timestampMicros());
        if (!isRepaired && peer.health().isRejecting()) {
            throw new IOException("node " + peer.address() + " does not answer any more");
        }
        return isRepaired;
    }

    /** Ends the thread, and waits for its end. A running comparison is aborted. */
    @Override
    public void close() {
        thread.close();
    }
}
