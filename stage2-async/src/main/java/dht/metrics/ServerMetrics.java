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
 * The metrics of a server, in this stage and all later stages. Most of them are read from other
 * objects when a client asks for {@code /metrics}. Only the durations of requests are recorded
 * here.
 *
 * <p>Thread-safe after the server has started; before that, for one thread.
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

    /** The registry, to which later stages add more metrics. */
    public PrometheusRegistry registry() {
        return registry;
    }

    /**
     * Adds {@code GET /metrics} to the router, and times the requests of all routes that it has so
     * far.
     */
    public void serveOn(Router router) {
        router.wrap(times::around)
                .route("/metrics", Map.of(Method.GET, new MetricsEndpoint(registry)));
    }

    /**
     * Adds the metrics of an executor: how many requests wait, are in execution, and were rejected.
     */
    public void watch(CountedExecutor executor) {
        gauge("requests_queued", "Requests that wait for a worker.", executor::queuedCount);
        gauge("requests_in_flight", "Tasks in execution.", executor::inFlightCount);
        CounterWithCallback.builder()
                .name("requests_rejected")
                .help("Requests that were rejected by the executor, by cause.")
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

    /** Adds the metrics of the storage. */
    public void watch(Supplier<StorageStats> storage) {
        var stats = new Source<>(storage);
        stats.gauge(
                "storage_memtables",
                "Memtables: the active one, and those that wait to be flushed.",
                StorageStats::memTableCount);
        stats.gauge(
                "storage_memtable_bytes",
                "Log bytes of these memtables. A recovered memtable counts as 0.",
                StorageStats::memTableBytes);
        stats.gauge("storage_tables", "Live tables.", StorageStats::tableCount);
        stats.gauge(
                "storage_table_bytes",
                "Size of the files of live tables.",
                StorageStats::tableBytes);
        stats.counter(
                "storage_accepted_bytes",
                "Bytes of written keys and values that are flushed, since the data directory was created.",
                each -> each.totals().acceptedBytes());
        stats.counter(
                "storage_flushed_bytes",
                "Bytes of tables that flushes wrote, since the data directory was created.",
                each -> each.totals().flushedBytes());
        stats.counter(
                "storage_compacted_bytes",
                "Bytes of tables that compactions wrote, since the data directory was created.",
                each -> each.totals().compactedBytes());
        stats.gauge(
                "storage_unsynced_writes",
                "Writes that wait for a sync of the log.",
                StorageStats::unsyncedCount);
        stats.counter("storage_syncs", "Begun syncs of the log.", StorageStats::syncCount);
        stats.counter(
                "storage_write_stalls",
                "How often writes began to wait for flushing. Writes that wait at the same time"
                        + " count once.",
                StorageStats::stallCount);
        stats.counter("storage_writes_refused", "Writes refused.", StorageStats::refusalCount);
        stats.gauge(
                "storage_pinned_bytes",
                "Bytes that are kept only for slow readers.",
                StorageStats::pinnedBytes);
        stats.counter(
                "storage_readers_evicted",
                "Slow readers that were cut off.",
                StorageStats::evictedReaderCount);
        stats.gauge(
                "storage_damaged_blocks",
                "Blocks of live tables that could not be read, or failed their checksum.",
                StorageStats::damagedBlockCount);
        stats.counter(
                "storage_scrubbed_bytes",
                "Bytes of tables that were read to find damage.",
                StorageStats::scrubbedBytes);
    }

    private void gauge(String name, String help, Supplier<Integer> value) {
        new Source<>(value).gauge(name, help, Integer::doubleValue);
    }

    /**
     * A source of metrics: each metric is a part of a snapshot, which is taken when the metric is
     * read.
     */
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
