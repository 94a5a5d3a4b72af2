package dht.testkit.history;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.testkit.ServerUnderTest;
import dht.testkit.history.Operation.Kind;
import dht.testkit.history.Operation.Outcome;
import dht.testkit.http.NoAnswer;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * A client of one node that writes down what it asks and what it is answered; it expects nothing,
 * and goes on whatever happens.
 *
 * <p>Threads may share it.
 */
public final class RecordingClient {
    private final ServerUnderTest node;
    private final History history;
    private final LongSupplier nanoClock;

    /**
     * @param nanoClock the same for all clients of the history
     */
    public RecordingClient(ServerUnderTest node, History history, LongSupplier nanoClock) {
        this.node = node;
        this.history = history;
        this.nanoClock = nanoClock;
    }

    /** Writes a text that nobody else writes to this key. */
    public void put(String key, String value) {
        var request = Request.put(Target.entity(key), value.getBytes(ISO_8859_1));
        record(Kind.PUT, key, value, request);
    }

    public void delete(String key) {
        record(Kind.DELETE, key, null, Request.delete(Target.entity(key)));
    }

    public void get(String key) {
        record(Kind.GET, key, null, Request.get(Target.entity(key)));
    }

    private void record(Kind kind, String key, String written, Request request) {
        var startNanos = nanoClock.getAsLong();
        var answer = ask(request);
        var endNanos = nanoClock.getAsLong();
        var value = kind == Kind.GET ? answer.map(RecordingClient::found).orElse(null) : written;
        history.add(
                new Operation(
                        kind,
                        key,
                        value,
                        node.node().spec().name(),
                        startNanos,
                        endNanos,
                        answer.map(response -> outcome(kind, response)).orElse(Outcome.UNKNOWN)));
    }

    private Optional<Response> ask(Request request) {
        try {
            return Optional.of(node.ask(request));
        } catch (NoAnswer _) {
            return Optional.empty();
        }
    }

    private static String found(Response response) {
        return response.status() == 200 ? new String(response.body(), ISO_8859_1) : null;
    }

    /** A node that is too busy says so before it does anything; any other error may come later. */
    private static Outcome outcome(Kind kind, Response response) {
        var status = response.status();
        var isDone =
                switch (kind) {
                    case PUT -> status == 201;
                    case DELETE -> status == 202;
                    case GET -> status == 200 || status == 404;
                };
        if (isDone) {
            return Outcome.OK;
        }
        return status == 503 || status / 100 == 4 ? Outcome.FAILED : Outcome.UNKNOWN;
    }
}
