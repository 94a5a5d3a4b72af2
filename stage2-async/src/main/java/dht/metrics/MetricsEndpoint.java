package dht.metrics;

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
 * {@code GET /metrics}: everything in a registry, as Prometheus' text. On a thread of its own: not
 * on a selector, which has better things to do for so long, and not behind the requests whose queue
 * it reports. It is asked for a few times a minute, so the thread is made when it is.
 *
 * <p>Thread-safe.
 */
final class MetricsEndpoint implements Handler {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsEndpoint.class);

    /** Who asks for more at a time is no Prometheus. */
    private static final int READERS_MAX = 4;

    private static final Response TOO_MANY =
            Response.unavailable("more than " + READERS_MAX + " ask for metrics at a time");
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
        } catch (Throwable e) { // Of memory, as a rule. The router tells the client.
            readers.release();
            throw e;
        }
    }

    private void answer(Responder responder) {
        Response response;
        try {
            response = Response.text(PrometheusTextFormatWriter.CONTENT_TYPE, text());
        } catch (Throwable e) {
            LOG.error("cannot tell metrics", e);
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
