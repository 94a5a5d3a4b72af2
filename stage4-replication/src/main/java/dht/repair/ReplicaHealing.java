package dht.repair;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.RequestExecutor;
import dht.http.Router;
import dht.peer.Peers;
import dht.replication.Healing;
import dht.replication.Holders;
import dht.replication.HybridLogicalClock;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;

/**
 * All parts of healing: read repair, hints, rebuild, mending and anti-entropy. Each part works in
 * the background, on threads of its own. Thread-safe.
 */
public final class ReplicaHealing implements Healing, AutoCloseable {
    private final RepairCounts counts;
    private final ReadRepair readRepair; // Null if it is off.
    private final Hints hints; // Null if no hints are kept.
    private final HintDelivery delivery; // Null if no hints are kept.
    private final RunningReplacement replacement; // Null if there are no other nodes.

    /**
     * Starts read repair, the delivery of hints, greetings and the rebuild, as far as they are on.
     * {@link #introduce} starts the rest.
     *
     * @param replacement null if there are no other nodes
     * @param hints must be closed after this and after the peers; null if no hints are kept
     */
    static ReplicaHealing open(
            RepairOptions options,
            Holders holders,
            Peers peers,
            HybridLogicalClock clock,
            RunningReplacement replacement,
            Hints hints,
            RepairCounts counts) {
        ReplicaHealing healing =
                new ReplicaHealing(options, holders, peers, clock, replacement, hints, counts);
        boolean isStarted = false;
        try {
            if (healing.readRepair != null) {
                healing.readRepair.start();
            }
            if (healing.delivery != null) {
                healing.delivery.start();
            }
            if (replacement != null) {
                replacement.start();
            }
            isStarted = true;
            return healing;
        } finally {
            if (!isStarted) {
                healing.close();
            }
        }
    }

    private ReplicaHealing(
            RepairOptions options,
            Holders holders,
            Peers peers,
            HybridLogicalClock clock,
            RunningReplacement replacement,
            Hints hints,
            RepairCounts counts) {
        this.replacement = replacement;
        this.counts = counts;
        KeyRepair keyRepair =
                new KeyRepair(
                        holders::of,
                        holders.nodeCount(),
                        options.tombstoneGrace(),
                        InstantSource.system(),
                        counts);
        RateLimiter limiter = new RateLimiter(options.keysPerSecondMax(), System::nanoTime);
        this.readRepair =
                options.isReadRepaired() ? new ReadRepair(keyRepair, limiter, counts) : null;
        this.hints = hints;
        this.delivery =
                hints == null ? null : new HintDelivery(hints, options, peers, clock, counts);
    }

    @Override
    public void missed(NodeAddress node, EntityRequest write, long timestampMicros) {
        if (hints == null) {
            return;
        }
        try {
            hints.add(node, write, timestampMicros);
        } catch (OutOfMemoryError _) { // A comparison of both nodes brings the write.
            counts.hintFailed();
        }
    }

    @Override
    public void divided(byte[] key, int from) {
        if (readRepair != null) {
            readRepair.add(key, from);
        }
    }

    @Override
    public boolean isIncomplete(NodeAddress node) {
        return replacement != null && replacement.isIncomplete(node);
    }

    /** Adds the routes for other nodes. */
    public void route(Router router, RequestExecutor executor) {
        if (replacement != null) {
            replacement.route(router, executor);
        }
    }

    /**
     * Starts anti-entropy and mending. Before that, sends greetings once more if this node does not
     * know yet whether its data is complete, and waits for the answers. Must be called once, after
     * the server has begun to accept requests. So if two nodes start at the same time, at least one
     * of them reaches the other.
     */
    public void introduce() {
        if (replacement != null) {
            replacement.introduce();
        }
    }

    /** Publishes the metrics of all parts. */
    public void watch(PrometheusRegistry registry) {
        RepairMetrics.watch(counts, registry);
        if (hints != null) {
            RepairMetrics.watch(hints, registry);
        }
        if (replacement != null) {
            replacement.watch(registry);
        }
    }

    /**
     * Ends the threads. Writes that are reported as missed later still become hints: requests to
     * other nodes that are in flight fail only when the peers are closed, which comes next.
     */
    @Override
    public void close() {
        try (readRepair;
                delivery;
                replacement) {
            // Closes all of them, even if one cannot be closed.
        }
    }
}
