package dht.repair;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.http.HttpRequest;
import dht.http.Method;
import dht.http.OwnedBytes;
import dht.http.RequestException;
import dht.http.RequestExecutor;
import dht.http.Responder;
import dht.http.Router;
import dht.range.EntryPage;
import java.io.IOException;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Serves two kinds of requests from other nodes: greetings, and requests for pages of this node's
 * entries, which a rebuild, a comparison or a range over the cluster needs. Each request is a task
 * of the pool.
 *
 * <p>Thread-safe.
 */
final class RebuildService {
    private static final Pattern BYTES = Pattern.compile("\\d{1,9}");

    private final Membership membership;
    private final OwnEntries entries;
    private final RequestExecutor executor;

    RebuildService(Membership membership, OwnEntries entries, RequestExecutor executor) {
        this.membership = membership;
        this.entries = entries;
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
        KeyRange range = new KeyRange(key(EntryPage.FROM, http), key(EntryPage.TO, http));
        int bytesMax = bytesMax(http);
        executor.execute(new AnswerTask(() -> entries.page(range, bytesMax), responder));
    }

    /** A key as hexadecimal digits; empty if the parameter is missing. */
    private static byte[] key(String name, HttpRequest http) throws RequestException {
        byte[] given = http.parameter(name);
        try {
            return HexFormat.of().parseHex(given == null ? "" : new String(given, ISO_8859_1));
        } catch (IllegalArgumentException e) {
            throw RequestException.badRequest(name + ": must be a key, as hexadecimal digits");
        }
    }

    private static int bytesMax(HttpRequest http) throws RequestException {
        byte[] given = http.parameter(EntryPage.BYTES);
        String text = given == null ? "" + EntryPage.BYTES_MAX : new String(given, ISO_8859_1);
        if (!BYTES.matcher(text).matches()) {
            throw RequestException.badRequest(EntryPage.BYTES + ": must be a whole number");
        }
        return Math.min(Integer.parseInt(text), EntryPage.BYTES_MAX);
    }
}
