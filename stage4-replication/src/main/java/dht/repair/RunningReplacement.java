package dht.repair;

import dht.cluster.NodeAddress;
import dht.http.RequestExecutor;
import dht.http.Router;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/**
 * The part of a {@link NodeReplacement} that works while the storage is open. It has the threads
 * that send greetings, rebuild this node, mend its tables and compare it with others, and it serves
 * the requests that other nodes send for these purposes.
 *
 * <p>Thread-safe.
 */
final class RunningReplacement implements AutoCloseable {
    private final Membership membership;
    private final OtherNodes others;
    private final RebuildProgress progress;
    private final NodeClient client;
    private final Greeter greeter;
    private final Rebuild rebuild;
    private final Mending mending; // Null if it is off.
    private final AntiEntropy antiEntropy;
    private final OwnEntries entries;
    private final RepairCounts counts;

    RunningReplacement(
            Membership membership,
            OtherNodes others,
            RebuildProgress progress,
            NodeClient client,
            Greeter greeter,
            Rebuild rebuild,
            Mending mending,
            AntiEntropy antiEntropy,
            OwnEntries entries,
            RepairCounts counts) {
        this.membership = membership;
        this.others = others;
        this.progress = progress;
        this.client = client;
        this.greeter = greeter;
        this.rebuild = rebuild;
        this.mending = mending;
        this.antiEntropy = antiEntropy;
        this.entries = entries;
        this.counts = counts;
    }

    boolean isIncomplete(NodeAddress node) {
        return others.isIncomplete(node);
    }

    /** Starts greetings and the rebuild. */
    void start() {
        greeter.start();
        rebuild.start();
    }

    void route(Router router, RequestExecutor executor) {
        new RebuildService(membership, entries, executor).route(router);
        antiEntropy.route(router, executor);
    }

    /** Starts anti-entropy and mending; see {@link ReplicaHealing#introduce}. */
    void introduce() {
        if (membership.phase() == NodePhase.ASKING) {
            greeter.greetAll();
        }
        antiEntropy.start();
        if (mending != null) {
            mending.start();
        }
    }

    void watch(PrometheusRegistry registry) {
        RepairMetrics.watch(membership, progress, registry);
        RepairMetrics.watchRebuild(counts, registry);
        antiEntropy.watch(registry);
        if (mending != null) {
            RepairMetrics.watch(mending, registry);
        }
    }

    @Override
    public void close() {
        try (greeter;
                rebuild;
                mending;
                antiEntropy;
                client) {
            // Closes all of them, even if one cannot be closed; the client first.
        }
    }
}
