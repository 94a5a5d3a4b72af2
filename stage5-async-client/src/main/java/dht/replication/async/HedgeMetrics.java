package dht.replication.async;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** Publishes metrics of hedged reads. Stateless and thread-safe. */
public final class HedgeMetrics {
    private HedgeMetrics() {}

    public static void watch(Hedges hedges, PrometheusRegistry registry) {
        CounterWithCallback.builder()
                .name("reads_hedged")
                .help(
                        "Reads for which an answer was overdue, by whether one more replica was asked.")
                .labelNames("outcome")
                .callback(
                        sample -> {
                            sample.call(hedges.hedgedCount(), "asked");
                            sample.call(hedges.deniedCount(), "denied");
                        })
                .register(registry);
        GaugeWithCallback.builder()
                .name("hedge_delay_seconds")
                .help("How long a read waits for an answer before it asks one more replica.")
                .callback(sample -> sample.call(hedges.delaySeconds()))
                .register(registry);
    }
}
