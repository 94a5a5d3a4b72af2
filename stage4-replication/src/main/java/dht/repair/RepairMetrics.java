package dht.repair;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** Publishes the metrics of healing. Stateless and thread-safe. */
final class RepairMetrics {
    private RepairMetrics() {}

    static void watch(Hints hints, PrometheusRegistry registry) {
        GaugeWithCallback.builder()
                .name("hints_waiting")
                .help("Hints that wait until their node can store them.")
                .labelNames("peer")
                .callback(
                        sample ->
                                hints.forEachCount((node, count) -> sample.call(count, node.url())))
                .register(registry);
        GaugeWithCallback.builder()
                .name("hint_bytes")
                .help("Disk space of all hints together.")
                .callback(sample -> sample.call(hints.takenBytes()))
                .register(registry);
    }

    static void watch(
            Membership membership, RebuildProgress progress, PrometheusRegistry registry) {
        GaugeWithCallback.builder()
                .name("node_answers_reads")
                .help(
                        "1 if this node's data is complete; 0 while it asks others, is rebuilt, or must be restarted.")
                .callback(sample -> sample.call(membership.refusal() == null ? 1 : 0))
                .register(registry);
        GaugeWithCallback.builder()
                .name("rebuild_nodes_left")
                .help("Other nodes whose entries this node must still receive.")
                .callback(sample -> sample.call(progress.leftCount()))
                .register(registry);
    }

    static void watch(ComparisonCounts counts, ComparisonQueue queue, PrometheusRegistry registry) {
        CounterWithCallback.builder()
                .name("comparisons")
                .help("Comparisons of this node with another one, by outcome.")
                .labelNames("outcome")
                .callback(
                        sample -> {
                            sample.call(counts.same.sum(), "same");
                            sample.call(counts.different.sum(), "different");
                            sample.call(counts.failed.sum(), "failed");
                        })
                .register(registry);
        CounterWithCallback.builder()
                .name("comparison_repairs")
                .help("Versions sent to a replica that lacked them in a comparison, by outcome.")
                .labelNames("outcome")
                .callback(
                        sample -> {
                            sample.call(counts.versionsSent.sum(), "stored");
                            sample.call(counts.versionsFailed.sum(), "failed");
                        })
                .register(registry);
        CounterWithCallback.builder()
                .name("comparison_reads")
                .help(
                        "Versions that comparisons have read; each 256 bytes of a value count as one more.")
                .callback(sample -> sample.call(counts.readCost.sum()))
                .register(registry);
        CounterWithCallback.builder()
                .name("comparison_bytes")
                .help(
                        "Bytes of digests and lists of versions that comparisons have sent and received.")
                .callback(sample -> sample.call(counts.bytes.sum()))
                .register(registry);
        GaugeWithCallback.builder()
                .name("comparisons_waiting")
                .help("Other nodes with which a comparison on demand waits, or a comparison runs.")
                .callback(sample -> sample.call(queue.waitingCount()))
                .register(registry);
    }

    static void watch(RepairCounts counts, PrometheusRegistry registry) {
        CounterWithCallback.builder()
                .name("read_repairs")
                .help("Versions sent to replicas that lacked them in a read, by outcome.")
                .labelNames("outcome")
                .callback(
                        sample -> {
                            sample.call(counts.readRepairedCount(), "stored");
                            sample.call(counts.readRepairFailedCount(), "failed");
                            sample.call(counts.readRepairDroppedCount(), "dropped");
                        })
                .register(registry);
        CounterWithCallback.builder()
                .name("hints")
                .help("Hints for writes that other nodes have missed, by outcome.")
                .labelNames("outcome")
                .callback(
                        sample -> {
                            sample.call(counts.hintStoredCount(), "stored");
                            sample.call(counts.hintDeliveredCount(), "delivered");
                            sample.call(counts.hintExpiredCount(), "expired");
                            sample.call(counts.hintRejectedCount(), "rejected");
                            sample.call(counts.hintWithoutRoomCount(), "no_room");
                            sample.call(counts.hintFailedCount(), "failed");
                        })
                .register(registry);
        CounterWithCallback.builder()
                .name("hint_damages")
                .help("Damaged files of hints; the hints before the damage are kept.")
                .callback(sample -> sample.call(counts.hintDamageCount()))
                .register(registry);
    }

    static void watch(Mending mending, PrometheusRegistry registry) {
        CounterWithCallback.builder()
                .name("mended_blocks")
                .help("Damaged blocks whose keys were received from other nodes.")
                .callback(sample -> sample.call(mending.mendedBlockCount()))
                .register(registry);
    }

    static void watchRebuild(RepairCounts counts, PrometheusRegistry registry) {
        CounterWithCallback.builder()
                .name("rebuild_entries")
                .help("Entries received from other nodes by a rebuild, by outcome.")
                .labelNames("outcome")
                .callback(
                        sample -> {
                            sample.call(counts.rebuildStoredCount(), "stored");
                            sample.call(counts.rebuildKnownCount(), "known");
                        })
                .register(registry);
    }
}
