package dht.metrics;

import dht.execution.CountedExecutor;
import dht.execution.Rejections.Cause;
import dht.http.Method;
import dht.http.Router;
import dht.storage.lsm.StorageStats;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Counters and gauges of a server, of this and every later stage. Most are read from where they are
 * kept anyway, when somebody asks; only the times of requests are taken down as they pass.
 *
 * <p>Thread-safe once the server has been put together.
 */
public final class ServerMetrics {
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final RequestTimes times;

    /**
     * @param nanoClock such as {@link System#nanoTime}
     */
    public ServerMetrics(LongSupplier nanoClock) {
        this.times = new RequestTimes(registry, nanoClock);
    }

    /** For more metrics, which later stages bring. */
    public PrometheusRegistry registry() {
        return registry;
    }

    /** Times all requests that the router knows by now, and has it answer {@code GET /metrics}. */
    public void serveOn(Router router) {
        router.wrap(times::around)
                .route("/metrics", Map.of(Method.GET, new MetricsEndpoint(registry)));
    }

    /** What waits, is worked on, and was refused. */
    public void watch(CountedExecutor executor) {
        gauge("requests_queued", "Requests that wait for a worker.", executor::queuedCount);
        gauge("requests_in_flight", "Tasks being worked on.", executor::inFlightCount);
        CounterWithCallback.builder()
                .name("requests_rejected")
                .help("Requests that had no turn, by cause.")
                .labelNames("cause")
                .callback(
                        sample -> {
                            for (Cause cause : Cause.values()) {
                                sample.call(
                                        executor.rejections().count(cause),
                                        cause.name().toLowerCase(Locale.ROOT));
                            }
                        })
                .register(registry);
    }

    /** What the storage holds and has done. */
    public void watch(Supplier<StorageStats> storage) {
        var stats = new Source<>(storage);
        stats.gauge(
                "storage_memtables",
                "Written to, or waiting to be flushed.",
                StorageStats::memTableCount);
        stats.gauge("storage_memtable_bytes", "Log of these.", StorageStats::memTableBytes);
        stats.gauge("storage_tables", "Live tables.", StorageStats::tableCount);
        stats.gauge("storage_table_bytes", "Size of their files.", StorageStats::tableBytes);
        stats.counter(
                "storage_accepted_bytes",
                "Keys and values written, as far as they are flushed; since the data began.",
                each -> each.totals().acceptedBytes());
        stats.counter(
                "storage_flushed_bytes",
                "Tables written by flushes; since the data began.",
                each -> each.totals().flushedBytes());
        stats.counter(
                "storage_compacted_bytes",
                "Tables written by compactions; since the data began.",
                each -> each.totals().compactedBytes());
        stats.gauge(
                "storage_unsynced_writes",
                "Writes that wait for a sync of the log.",
                StorageStats::unsyncedCount);
        stats.counter("storage_syncs", "Syncs of the log.", StorageStats::syncCount);
        stats.counter(
                "storage_write_stalls",
                "Writes that had to wait for flushing.",
                StorageStats::stallCount);
        stats.counter("storage_writes_refused", "Writes refused.", StorageStats::refusalCount);
        stats.gauge(
                "storage_pinned_bytes", "Kept for slow readers alone.", StorageStats::pinnedBytes);
        stats.counter(
                "storage_readers_evicted",
                "Slow readers that were cut off.",
                StorageStats::evictedReaderCount);
    }

    private void gauge(String name, String help, Supplier<Integer> value) {
        new Source<>(value).gauge(name, help, Integer::doubleValue);
    }

    /** Metrics that are read from one snapshot, which is taken when a metric is asked for. */
    private final class Source<T> {
        private final Supplier<T> whole;

        Source(Supplier<T> whole) {
            this.whole = whole;
        }

        void gauge(String name, String help, ToDoubleFunction<T> part) {
            GaugeWithCallback.builder()
                    .name(name)
                    .help(help)
                    .callback(sample -> sample.call(part.applyAsDouble(whole.get())))
                    .register(registry);
        }

        void counter(String name, String help, ToDoubleFunction<T> part) {
            CounterWithCallback.builder()
                    .name(name)
                    .help(help)
                    .callback(sample -> sample.call(part.applyAsDouble(whole.get())))
                    .register(registry);
        }
    }
}
