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
 * A client of one node that records each request and its answer in a {@link History}. It does not
 * judge answers, and goes on after a failed connection. Only an answer that is not HTTP ends it.
 *
 * <p>Threads may share it.
 */
public final class RecordingClient {
    private static final char PADDING = '.';
    private static final int REASON_CHARS_MAX = 160;

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

    /** Puts a text. No other put of this key may write the same text. */
    public Outcome put(String key, String value) {
        return put(key, value, 0);
    }

    /**
     * The same, with a larger value.
     *
     * @param paddingBytes how many bytes are added; the text must not end with the character that
     *     is added
     */
    public Outcome put(String key, String value, int paddingBytes) {
        var padded = value + String.valueOf(PADDING).repeat(paddingBytes);
        var request = Request.put(Target.entity(key), padded.getBytes(ISO_8859_1));
        return record(Kind.PUT, key, value, request);
    }

    /** Deletes a key. */
    public Outcome delete(String key) {
        return record(Kind.DELETE, key, null, Request.delete(Target.entity(key)));
    }

    /** Reads a key. */
    public Outcome get(String key) {
        return record(Kind.GET, key, null, Request.get(Target.entity(key)));
    }

    private Outcome record(Kind kind, String key, String written, Request request) {
        var startNanos = nanoClock.getAsLong();
        Optional<Response> answer;
        var reason = "";
        try {
            answer = Optional.of(node.askOnce(request)); // A write that is asked twice is two.
        } catch (NoAnswer none) {
            answer = Optional.empty();
            reason = none.got();
        }
        var endNanos = nanoClock.getAsLong();
        var value = kind == Kind.GET ? answer.map(RecordingClient::found).orElse(null) : written;
        var outcome = answer.map(response -> outcome(kind, response)).orElse(Outcome.UNKNOWN);
        if (outcome != Outcome.OK && answer.isPresent()) {
            reason = reason(answer.get());
        }
        var name = node.node().spec().name();
        history.add(new Operation(kind, key, value, name, startNanos, endNanos, outcome, reason));
        return outcome;
    }

    private static String reason(Response response) {
        var said = new String(response.body(), ISO_8859_1).lines().findFirst().orElse("").strip();
        var cut = said.substring(0, Math.min(said.length(), REASON_CHARS_MAX));
        return (response.status() + " " + cut).strip();
    }

    /** Without the padding that was put behind it. */
    private static String found(Response response) {
        if (response.status() != 200) {
            return null;
        }
        var text = new String(response.body(), ISO_8859_1);
        var length = text.length();
        while (length > 0 && text.charAt(length - 1) == PADDING) {
            length--;
        }
        return text.substring(0, length);
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
