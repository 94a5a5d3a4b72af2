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
                .help("Writes that are kept for a node which has missed them.")
                .labelNames("peer")
                .callback(told -> hints.forEachCount((node, count) -> told.call(count, node.url())))
                .register(registry);
        GaugeWithCallback.builder()
                .name("hint_bytes")
                .help("Disk that hints take together.")
                .callback(told -> told.call(hints.takenBytes()))
                .register(registry);
    }

    static void watch(RepairCounts counts, PrometheusRegistry registry) {
        CounterWithCallback.builder()
                .name("read_repairs")
                .help("Versions for replicas that a read met without them, by what became of them.")
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
                .help("Writes that other nodes have missed, by what became of them.")
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
                .help("Files of hints that were damaged; the hints before the damage are kept.")
                .callback(told -> told.call(counts.hintDamageCount()))
                .register(registry);
    }
}
