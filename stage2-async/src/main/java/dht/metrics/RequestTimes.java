package dht.metrics;

import dht.http.HttpRequest;
import dht.http.Method;
import dht.http.Responder;
import dht.http.Router.Handler;
import dht.http.Status;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A histogram of the durations of requests, in seconds, by path, method and class of status. A
 * duration begins when the request is complete, and ends when its answer is passed to the
 * connection; for a range, when its answer begins. It includes the time in a queue. Rejected
 * requests count, too.
 *
 * <p>Thread-safe.
 */
final class RequestTimes {
    /** The classes of all statuses that the server uses. */
    private static final String[] STATUS_CLASSES = {"2xx", "4xx", "5xx"};

    /** The number of buckets: from 50 µs to 1.6 s, each twice as long as the previous one. */
    private static final int BUCKETS = 16;

    private static final double SMALLEST_SECONDS = 50e-6;

    private final Histogram times;
    private final LongSupplier nanoClock;

    RequestTimes(PrometheusRegistry registry, LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.times =
                Histogram.builder()
                        .name("http_request_duration")
                        .help(
                                "Time from the complete request to its answer, including the time in the queue.")
                        .unit(Unit.SECONDS)
                        .labelNames("path", "method", "status")
                        .classicOnly()
                        .classicExponentialUpperBounds(SMALLEST_SECONDS, 2, BUCKETS)
                        .withoutExemplars()
                        .register(registry);
    }

    /** Wraps a handler so that its requests are timed. */
    Handler around(String path, Method method, Handler handler) {
        DistributionDataPoint[] byClass =
                Arrays.stream(STATUS_CLASSES)
                        .map(status -> times.labelValues(path, method.name(), status))
                        .toArray(DistributionDataPoint[]::new);
        return (HttpRequest request, Responder responder) -> {
            responder.onAnswer(new Timing(byClass, nanoClock, nanoClock.getAsLong()));
            handler.handle(request, responder);
        };
    }

    private static int statusClass(Status status) {
        int code = status.code();
        return code < 300 ? 0 : code < 500 ? 1 : 2;
    }

    /** The measurement of one request, which ends with its answer. */
    private record Timing(DistributionDataPoint[] byClass, LongSupplier nanoClock, long beginNanos)
            implements Consumer<Status> {
        @Override
        public void accept(Status status) {
            long nanos = nanoClock.getAsLong() - beginNanos;
            byClass[statusClass(status)].observe(nanos * 1e-9);
        }
    }
}
