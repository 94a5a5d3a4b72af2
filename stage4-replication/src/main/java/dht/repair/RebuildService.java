package dht.repair;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.http.HttpRequest;
import dht.http.Method;
import dht.http.OwnedBytes;
import dht.http.RequestException;
import dht.http.RequestExecutor;
import dht.http.Responder;
import dht.http.Router;
import dht.storage.Dao;
import java.io.IOException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Serves two kinds of requests from other nodes: greetings, and requests for pages of this node's
 * entries, which a rebuild needs. Each request is a task of the pool.
 *
 * <p>Thread-safe.
 */
final class RebuildService {
    /** A page ends after this time, even if it has few entries. */
    private static final long PAGE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(50);

    private final Membership membership;
    private final Dao dao;
    private final RequestExecutor executor;

    RebuildService(Membership membership, Dao dao, RequestExecutor executor) {
        this.membership = membership;
        this.dao = dao;
        this.executor = executor;
    }

    void route(Router router) {
        router.route(Greeting.PATH, Map.of(Method.PUT, this::greet));
        router.route(EntryPage.PATH, Map.of(Method.GET, this::page));
    }

    private void greet(HttpRequest http, Responder responder) throws RequestException {
        if (http.body().byteSize() > Greeting.BYTES_MAX) {
            throw RequestException.badRequest("not a greeting: it is too long");
        }
        executor.execute(new AnswerTask(() -> heard(http.body()), responder));
    }

    private byte[] heard(OwnedBytes body) throws IOException, RequestException {
        try {
            return membership.heard(Greeting.parse(body.toArray())).toBytes();
        } catch (IllegalArgumentException e) {
            throw RequestException.badRequest("not a greeting: " + e.getMessage());
        }
    }

    private void page(HttpRequest http, Responder responder) throws RequestException {
        byte[] after = after(http);
        executor.execute(new AnswerTask(() -> page(after), responder));
    }

    private static byte[] after(HttpRequest http) throws RequestException {
        byte[] given = http.parameter(EntryPage.AFTER);
        try {
            return HexFormat.of().parseHex(given == null ? "" : new String(given, ISO_8859_1));
        } catch (IllegalArgumentException e) {
            throw RequestException.badRequest("after: must be a key, as hexadecimal digits");
        }
    }

    /** Fails if this node's own data may be incomplete. */
    private byte[] page(byte[] after) {
        membership.vote();
        EntryPage.Writer page = new EntryPage.Writer();
        long startNanos = System.nanoTime();
        KeyRange rest = after.length == 0 ? KeyRange.ALL : KeyRange.ALL.startingAt(next(after));
        try (VersionCursor cursor = VersionCursor.open(dao, rest)) {
            while (cursor.next()) {
                page.add(cursor.entry(), cursor.from());
                if (page.isFull() || System.nanoTime() - startNanos > PAGE_NANOS_MAX) {
                    return page.finish(false);
                }
            }
        }
        return page.finish(true);
    }

    /** The smallest key that is greater than this one. */
    private static byte[] next(byte[] key) {
        byte[] next = new byte[key.length + 1];
        System.arraycopy(key, 0, next, 0, key.length);
        return next;
    }
}
