package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.storage.Dao;
import dht.storage.EntryCursor;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/** The handler of {@code /v0/entities}: streams entries of this node. Thread-safe. */
final class RangeHandler {
    private static final byte[] NODE = "node".getBytes(ISO_8859_1);

    private final Dao dao;
    private final RequestExecutor executor;
    private final Failures failures;
    private final int rangeCountMax;
    private final Semaphore ranges;
    private final Runnable ending; // Created now: later there may be no memory for it.

    RangeHandler(Dao dao, RequestExecutor executor, Failures failures, int rangeCountMax) {
        this.dao = dao;
        this.executor = executor;
        this.failures = failures;
        this.rangeCountMax = rangeCountMax;
        this.ranges = new Semaphore(rangeCountMax);
        this.ending = ranges::release;
    }

    Map<Method, Router.Handler> handlers() {
        return Map.of(Method.GET, this::handle);
    }

    private void handle(HttpRequest http, Responder responder) throws RequestException {
        checkScope(http);
        BeginTask task = new BeginTask(RangeBounds.of(http), responder);
        if (!ranges.tryAcquire()) {
            responder.respond(
                    Response.unavailable("more than " + rangeCountMax + " ranges are being read"));
            return;
        }
        responder.trace().queued();
        try {
            executor.execute(task);
        } catch (Throwable e) { // In most cases memory has run out. The router answers the client.
            ranges.release();
            throw e;
        }
    }

    /**
     * Rejects unknown scopes. Otherwise a client that asks for a wider scope could take the entries
     * of this node for all entries.
     */
    private static void checkScope(HttpRequest http) throws RequestException {
        byte[] scope = http.parameter("scope");
        if (scope != null && !Arrays.equals(scope, NODE)) {
            throw RequestException.badRequest("scope: this server does not know this value");
        }
    }

    /**
     * Opens the cursor, and begins the answer. The task itself is the supplier of the cursor,
     * because a lambda would have to be allocated after the range was counted. If that failed, the
     * range would be counted for ever.
     */
    private final class BeginTask implements RequestExecutor.Task, Supplier<EntryCursor> {
        private final RangeBounds bounds;
        private final Responder responder;

        BeginTask(RangeBounds bounds, Responder responder) {
            this.bounds = bounds;
            this.responder = responder;
        }

        @Override
        public void run() {
            responder.trace().begun();
            try {
                responder.respond(this, executor, ending);
            } catch (Throwable e) {
                failures.answer(e, responder);
            } finally {
                responder.trace().left();
            }
        }

        @Override
        public EntryCursor get() {
            return dao.range(bounds.start(), bounds.end());
        }

        @Override
        public void refuse(Response answer) {
            ranges.release();
            responder.respond(answer);
        }
    }
}
