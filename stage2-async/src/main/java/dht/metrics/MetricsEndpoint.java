package dht.metrics;

import dht.http.ErrorLog;
import dht.http.HttpRequest;
import dht.http.Responder;
import dht.http.Response;
import dht.http.Router.Handler;
import dht.http.Status;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handler of {@code GET /metrics}: answers with all metrics of a registry, in the text format
 * of Prometheus. Each request gets a new thread. It does not run on a selector, because it takes
 * too long, and does not wait in the queue that it reports. A new thread costs little, because
 * metrics are read only a few times per minute.
 *
 * <p>Thread-safe.
 */
final class MetricsEndpoint implements Handler {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsEndpoint.class);

    /**
     * The number of requests at the same time. Prometheus needs only one; further requests get 503.
     */
    private static final int READERS_MAX = 4;

    private static final Response TOO_MANY =
            Response.unavailable(
                    "more than " + READERS_MAX + " requests for metrics at the same time");
    private static final Response FAILED =
            Response.of(Status.INTERNAL_ERROR, "internal error: see the server's log");

    private final PrometheusRegistry registry;
    private final PrometheusTextFormatWriter format = PrometheusTextFormatWriter.create();
    private final Semaphore readers = new Semaphore(READERS_MAX);
    private final ThreadFactory threads;

    MetricsEndpoint(PrometheusRegistry registry) {
        this(registry, Thread.ofPlatform().daemon().name("metrics").factory());
    }

    MetricsEndpoint(PrometheusRegistry registry, ThreadFactory threads) {
        this.registry = registry;
        this.threads = threads;
    }

    @Override
    public void handle(HttpRequest request, Responder responder) {
        if (!readers.tryAcquire()) {
            responder.respond(TOO_MANY);
            return;
        }
        try {
            threads.newThread(() -> answer(responder)).start();
        } catch (Throwable e) { // In most cases memory has run out. The router answers the client.
            readers.release();
            throw e;
        }
    }

    private void answer(Responder responder) {
        Response response;
        try {
            response = Response.text(PrometheusTextFormatWriter.CONTENT_TYPE, text());
        } catch (Throwable e) {
            ErrorLog.log(LOG, "cannot write metrics", e);
            response = FAILED;
        } finally {
            readers.release();
        }
        responder.respond(response);
    }

    private byte[] text() throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        format.write(text, registry.scrape());
        return text.toByteArray();
    }
}
