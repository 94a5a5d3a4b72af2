package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.http.Connection;
import dht.testkit.http.NoAnswer;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Preview;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/**
 * A writer that records, for each of its keys, the last acknowledged value and all values that were
 * sent since without an answer. After the server has started again, each key must have the
 * acknowledged value or one of the others, complete.
 *
 * <p>For one thread at a time.
 */
final class Ledger {
    private static final int KEYS = 40;
    private static final int SMALL_VALUE_BYTES_MAX = 4096;
    private static final int LARGE_VALUE_BYTES_MAX = 200_000;

    private final ServerUnderTest server;
    private final SplittableRandom random;
    private final String prefix = Keys.unique() + "/";
    private final Map<String, Page> pages = new LinkedHashMap<>();

    /** The record of one key. An empty Optional stands for no value. */
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

    static List<Ledger> writers(int count, ServerUnderTest server, Random random) {
        return Stream.generate(() -> new Ledger(server, random.nextLong())).limit(count).toList();
    }

    /**
     * Runs all writers at the same time, and ends the server after a number of acknowledgements. At
     * that moment, the other writers are in the middle of their writes.
     *
     * @param acknowledgements the number of acknowledged writes, of all writers together
     * @param end stops or kills the server
     */
    static void writeUntil(
            int acknowledgements, List<Ledger> writers, Runnable end, Duration patience) {
        var left = new CountDownLatch(acknowledgements);
        try (var clients =
                ClientThreads.start(writers.size(), i -> writers.get(i).writeUntilGone(left))) {
            var expected = "%,d acknowledged writes".formatted(acknowledgements);
            clients.await(expected, patience, () -> left.getCount() == 0);
            end.run();
            clients.join(patience);
        }
    }

    private void writeUntilGone(CountDownLatch acknowledgements) {
        try (var connection = server.connect()) {
            while (true) {
                if (writeOn(connection)) {
                    acknowledgements.countDown();
                }
            }
        } catch (NoAnswer none) {
            if (!none.isGone()) {
                throw none;
            }
        }
    }

    /**
     * Sends one write, and returns whether it was acknowledged. If the server rejects it with 503,
     * it counts as unanswered.
     */
    private boolean writeOn(Connection connection) {
        var key = prefix + KeySpace.numbered(random.nextInt(KEYS));
        var value = nextValue();
        var page = pages.get(key);
        page.unanswered.add(value);
        var response = connection.send(request(key, value)).receive();
        var success = value.isPresent() ? 201 : 202;
        if (response.expectStatus(success, 503).status() == success) {
            page.acknowledged = value;
            page.unanswered.clear();
            return true;
        }
        if (response.header("Retry-After").isEmpty()) {
            throw new Mismatch("503 with Retry-After", "503 without it");
        }
        return false;
    }

    /**
     * The next value: mostly small, sometimes empty, sometimes so large that it needs several
     * writes to disk, or none for a deletion.
     */
    private Optional<byte[]> nextValue() {
        return switch (random.nextInt(10)) {
            case 0, 1 -> Optional.empty();
            case 2 -> Optional.of(new byte[0]);
            case 3 -> Optional.of(valueUpTo(LARGE_VALUE_BYTES_MAX));
            default -> Optional.of(valueUpTo(SMALL_VALUE_BYTES_MAX));
        };
    }

    private byte[] valueUpTo(int bytes) {
        return Values.ofSize(random.nextInt(bytes), random.nextLong());
    }

    private static Request request(String key, Optional<byte[]> value) {
        var target = Target.entity(key);
        return value.map(bytes -> Request.put(target, bytes))
                .orElseGet(() -> Request.delete(target));
    }

    /**
     * Checks every key against the record, then the range over all keys. The values that were found
     * become the recorded ones.
     */
    void settle() {
        var live = new ArrayList<byte[]>();
        pages.forEach(
                (key, page) -> {
                    settle(key, page);
                    page.acknowledged.ifPresent(value -> live.add(KeySpace.chunk(key, value)));
                });
        server.range(prefix, prefix + "~").expectChunks(live);
    }

    private void settle(String key, Page page) {
        var response = server.get(key).expectStatus(200, 404);
        var found = Optional.of(response.body()).filter(_ -> response.status() == 200);
        page.unanswered.add(page.acknowledged);
        if (page.unanswered.stream().noneMatch(value -> same(value, found))) {
            var allowed = page.unanswered.stream().map(Ledger::words).toList();
            var expected =
                    "%s to hold one of %s (the first was acknowledged, the others were sent after it)"
                            .formatted(key, allowed.reversed());
            throw new Mismatch(expected, words(found));
        }
        page.acknowledged = found;
        page.unanswered.clear();
    }

    private static boolean same(Optional<byte[]> some, Optional<byte[]> other) {
        return some.isPresent() == other.isPresent()
                && (some.isEmpty() || Arrays.equals(some.get(), other.get()));
    }

    private static String words(Optional<byte[]> value) {
        return value.map(Preview::of).orElse("no value");
    }
}
