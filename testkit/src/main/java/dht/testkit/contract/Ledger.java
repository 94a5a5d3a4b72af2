package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.http.NoAnswer;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Preview;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

/**
 * A writer who keeps books: for each of its keys, what was acknowledged last, and what was sent
 * since without an answer. When the server is back, each key must hold the one or one of the
 * others, entire.
 *
 * <p>One thread at a time.
 */
final class Ledger {
    private static final int KEYS = 40;
    private static final int VALUE_BYTES_MAX = 4096;
    private static final int LARGE_VALUE_BYTES = 200_000;

    private final ServerUnderTest server;
    private final SplittableRandom random;
    private final String prefix = Keys.unique() + "/";
    private final Map<String, Page> pages = new LinkedHashMap<>();

    /** The books of one key; an empty Optional stands for no value. */
    private static final class Page {
        Optional<byte[]> acknowledged = Optional.empty();
        final List<Optional<byte[]>> unanswered = new ArrayList<>();
    }

    Ledger(ServerUnderTest server, long seed) {
        this.server = server;
        this.random = new SplittableRandom(seed);
        for (var i = 0; i < KEYS; i++) {
            pages.put(prefix + KeySpace.numbered(i), new Page());
        }
    }

    /**
     * Writes on one connection until the server goes away.
     *
     * @param acknowledgements told the number of each acknowledged write, from 1
     */
    void writeUntilGone(IntConsumer acknowledgements) {
        try (var connection = server.connect()) {
            for (var written = 0; ; ) {
                var key = prefix + KeySpace.numbered(random.nextInt(KEYS));
                var value = nextValue();
                var page = pages.get(key);
                page.unanswered.add(value);
                var response = connection.send(request(key, value)).receive();
                if (isAcknowledged(response, value)) {
                    page.acknowledged = value;
                    page.unanswered.clear();
                    acknowledgements.accept(++written);
                }
            }
        } catch (NoAnswer gone) {
            if (!gone.isGone()) {
                throw gone;
            }
        }
    }

    /** Mostly small values, some empty, some that take several writes to disk, and deletions. */
    private Optional<byte[]> nextValue() {
        return switch (random.nextInt(10)) {
            case 0, 1 -> Optional.empty();
            case 2 -> Optional.of(new byte[0]);
            case 3 ->
                    Optional.of(
                            Values.ofSize(random.nextInt(LARGE_VALUE_BYTES), random.nextLong()));
            default ->
                    Optional.of(Values.ofSize(random.nextInt(VALUE_BYTES_MAX), random.nextLong()));
        };
    }

    private static Request request(String key, Optional<byte[]> value) {
        var target = Target.entity(key);
        return value.map(bytes -> Request.put(target, bytes))
                .orElseGet(() -> Request.delete(target));
    }

    /** A server may refuse with 503 while it stops; it must not say anything else. */
    private static boolean isAcknowledged(Response response, Optional<byte[]> value) {
        var success = value.isPresent() ? 201 : 202;
        return response.expectStatus(success, 503).status() == success;
    }

    /**
     * Compares every key with the books, then the range over them all; what is found is what the
     * books say from now on.
     */
    void settle() {
        pages.forEach(this::settle);
        var live =
                pages.entrySet().stream()
                        .flatMap(
                                page ->
                                        page.getValue().acknowledged.stream()
                                                .map(value -> KeySpace.chunk(page.getKey(), value)))
                        .toList();
        server.range(prefix, prefix + "~").expectChunks(live);
    }

    private void settle(String key, Page page) {
        var response = server.get(key).expectStatus(200, 404);
        var found =
                response.status() == 200 ? Optional.of(response.body()) : Optional.<byte[]>empty();
        if (Stream.concat(Stream.of(page.acknowledged), page.unanswered.stream())
                .noneMatch(value -> same(value, found))) {
            throw new Mismatch(
                    "%s to hold the acknowledged %s%s"
                            .formatted(key, words(page.acknowledged), orElse(page.unanswered)),
                    words(found));
        }
        page.acknowledged = found;
        page.unanswered.clear();
    }

    private static boolean same(Optional<byte[]> some, Optional<byte[]> other) {
        return some.isPresent() == other.isPresent()
                && (some.isEmpty() || Arrays.equals(some.get(), other.get()));
    }

    private static String orElse(List<Optional<byte[]>> unanswered) {
        return unanswered.isEmpty()
                ? ""
                : ", or what was sent since: " + unanswered.stream().map(Ledger::words).toList();
    }

    private static String words(Optional<byte[]> value) {
        return value.map(Preview::of).orElse("no value");
    }
}
