package dht.repair;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** Metrics of healing. */
final class RepairMetrics {
    private RepairMetrics() {}

    static void watch(Hints hints, PrometheusRegistry registry) {
        GaugeWithCallback.builder()
                .name("hints_waiting")
                .help("Hints that wait until their node can store them.")
                .labelNames("peer")
                .callback(told -> hints.forEachCount((node, count) -> told.call(count, node.url())))
                .register(registry);
        GaugeWithCallback.builder()
                .name("hint_bytes")
                .help("Disk space of all hints together.")
                .callback(told -> told.call(hints.takenBytes()))
                .register(registry);
    }

    static void watch(
            Membership membership, RebuildProgress progress, PrometheusRegistry registry) {
        GaugeWithCallback.builder()
                .name("node_answers_reads")
                .help("1 if this node's data is complete; 0 while it asks, or is rebuilt.")
                .callback(told -> told.call(membership.refusal() == null ? 1 : 0))
                .register(registry);
        GaugeWithCallback.builder()
                .name("rebuild_nodes_left")
                .help("Other nodes from which this node must still receive its entries.")
                .callback(told -> told.call(progress.leftCount()))
                .register(registry);
    }

    static void watch(ComparisonCounts counts, ComparisonQueue queue, PrometheusRegistry registry) {
        CounterWithCallback.builder()
                .name("comparisons")
                .help("Comparisons of this node with another one, by outcome.")
                .labelNames("outcome")
                .callback(
                        told -> {
                            told.call(counts.same.sum(), "same");
                            told.call(counts.different.sum(), "different");
                            told.call(counts.failed.sum(), "failed");
                        })
                .register(registry);
        CounterWithCallback.builder()
                .name("comparison_repairs")
                .help("Versions sent to a replica that lacked them in a comparison, by outcome.")
                .labelNames("outcome")
                .callback(
                        told -> {
                            told.call(counts.versionsSent.sum(), "stored");
                            told.call(counts.versionsFailed.sum(), "failed");
                        })
                .register(registry);
        CounterWithCallback.builder()
                .name("comparison_reads")
                .help(
                        "Versions that comparisons have read; each 256 bytes of a value count as one more.")
                .callback(told -> told.call(counts.readCost.sum()))
                .register(registry);
        CounterWithCallback.builder()
                .name("comparison_bytes")
                .help(
                        "Bytes of digests and lists of versions that comparisons have sent and received.")
                .callback(told -> told.call(counts.bytes.sum()))
                .register(registry);
        GaugeWithCallback.builder()
                .name("comparisons_waiting")
                .help("Other nodes with which a comparison on demand waits, or a comparison runs.")
                .callback(told -> told.call(queue.waitingCount()))
                .register(registry);
    }

    static void watch(RepairCounts counts, PrometheusRegistry registry) {
        CounterWithCallback.builder()
                .name("read_repairs")
                .help("Versions sent to replicas that lacked them in a read, by outcome.")
                .labelNames("outcome")
                .callback(
                        told -> {
                            told.call(counts.readRepairedCount(), "stored");
                            told.call(counts.readRepairFailedCount(), "failed");
                            told.call(counts.readRepairDroppedCount(), "dropped");
                        })
                .register(registry);
        CounterWithCallback.builder()
                .name("hints")
                .help("Hints for writes that other nodes have missed, by outcome.")
                .labelNames("outcome")
                .callback(
                        told -> {
                            told.call(counts.hintStoredCount(), "stored");
                            told.call(counts.hintDeliveredCount(), "delivered");
                            told.call(counts.hintExpiredCount(), "expired");
                            told.call(counts.hintRejectedCount(), "rejected");
                            told.call(counts.hintWithoutRoomCount(), "no_room");
                            told.call(counts.hintFailedCount(), "failed");
                        })
                .register(registry);
        CounterWithCallback.builder()
                .name("hint_damages")
                .help("Damaged files of hints; the hints before the damage are kept.")
                .callback(told -> told.call(counts.hintDamageCount()))
                .register(registry);
    }

    static void watchRebuild(RepairCounts counts, PrometheusRegistry registry) {
        CounterWithCallback.builder()
                .name("rebuild_entries")
                .help("Entries received from other nodes by a rebuild, by outcome.")
                .labelNames("outcome")
                .callback(
                        told -> {
                            told.call(counts.rebuildStoredCount(), "stored");
                            told.call(counts.rebuildKnownCount(), "known");
                        })
                .register(registry);
    }
}
