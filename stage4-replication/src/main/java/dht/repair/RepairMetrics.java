package dht.repair;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** What a node tells of the replicas that it heals. */
final class RepairMetrics {
    private RepairMetrics() {}

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
    }
}
