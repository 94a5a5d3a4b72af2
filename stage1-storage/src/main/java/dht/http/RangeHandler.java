package dht.http;

import dht.storage.Dao;
import dht.storage.EntryCursor;
import java.util.Map;
import java.util.concurrent.Semaphore;

/** The handler of {@code /v0/entities}: streams entries of this node. Thread-safe. */
final class RangeHandler {
    /**
     * This key is after all keys of clients, because UTF-8 has no byte 0xFF. Later stages store
     * their own entries after it.
     */
    private static final byte[] PAST_CLIENT_KEYS = {(byte) 0xFF};

    private final Dao dao;
    private final RequestExecutor executor;
    private final Failures failures;
    private final int rangeCountMax;
    private final Semaphore ranges;

    RangeHandler(Dao dao, RequestExecutor executor, Failures failures, int rangeCountMax) {
        this.dao = dao;
        this.executor = executor;
        this.failures = failures;
        this.rangeCountMax = rangeCountMax;
        this.ranges = new Semaphore(rangeCountMax);
    }

    Map<Method, Router.Handler> handlers() {
        return Map.of(Method.GET, this::handle);
    }

    private void handle(HttpRequest http, Responder responder) throws RequestException {
        byte[] start = EntityHandler.key("start", http);
        byte[] end = EntityHandler.optionalKey("end", http);
        BeginTask task = new BeginTask(start, end == null ? PAST_CLIENT_KEYS : end, responder);
        if (!ranges.tryAcquire()) {
            responder.respond(
                    Response.unavailable("more than " + rangeCountMax + " ranges are being read"));
            return;
        }
        try {
            executor.execute(task);
        } catch (Throwable e) { // Memory has run out, in most cases. The router answers the client.
            ranges.release();
            throw e;
        }
    }

    private final class BeginTask implements RequestExecutor.Task {
        private final byte[] start;
        private final byte[] end;
        private final Responder responder;

        BeginTask(byte[] start, byte[] end, Responder responder) {
            this.start = start;
            this.end = end;
            this.responder = responder;
        }

        @Override
        public void run() {
            try {
                responder.respond(begin());
            } catch (Throwable e) {
                failures.answer(e, responder);
            }
        }

        private RangeStream begin() {
            EntryCursor cursor = null;
            try {
                cursor = dao.range(start, end);
                return new RangeStream(cursor, executor, failures, responder, ranges::release);
            } catch (Throwable e) {
                if (cursor != null) {
                    cursor.close();
                }
                ranges.release();
                throw e;
            }
        }

        @Override
        public void refuse(Response answer) {
            ranges.release();
            responder.respond(answer);
        }
    }
}
