package dht.replication;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** Publishes metrics of the requests that a node coordinates. Stateless and thread-safe. */
public final class ReplicationMetrics {
    private ReplicationMetrics() {}

    public static void watch(ReplicationCounts counts, PrometheusRegistry registry) {
        CounterWithCallback.builder()
                .name("replicated_requests")
                .help("Requests that this node has coordinated, by outcome.")
                .labelNames("outcome")
                .callback(
                        sample -> {
                            sample.call(counts.readCount(), "read");
                            sample.call(counts.writeCount(), "written");
                            sample.call(counts.tooFewCount(), "too_few_replicas");
                        })
                .register(registry);
        CounterWithCallback.builder()
                .name("writes_stamped_anew")
                .help("Writes that found a version at least as new, and got a new, greater stamp.")
                .callback(sample -> sample.call(counts.restampedCount()))
                .register(registry);
        CounterWithCallback.builder()
                .name("read_write_backs")
                .help(
                        "Atomic reads that had to write their version to more replicas before the answer.")
                .callback(sample -> sample.call(counts.writeBackCount()))
                .register(registry);
    }
}
