package dht.testkit.contract;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.http.Response;
import dht.testkit.junit.Contract;
import dht.testkit.junit.Needs;
import dht.testkit.junit.Verifies;
import dht.testkit.node.Ability;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Preview;
import dht.testkit.transcript.Promise;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Ranges that take long: that they show the entries of one moment, and that they do not hold up
 * other clients. Part of {@link RangeContract}.
 */
public interface RangeStreamingContract extends Contract {
    /**
     * The number of entries of a range that is larger than all buffers between the server and a
     * client that does not read.
     */
    int LARGE_RANGE_ENTRIES = 128;

    int LARGE_RANGE_VALUE_BYTES = StalledClients.UNREAD_BYTES / LARGE_RANGE_ENTRIES;

    /** The number of keys that one writer rewrites in each round. */
    int REWRITTEN_KEYS = 40;

    @Test
    @Verifies(Promise.RANGE_IS_CONSISTENT)
    default void range_whileAllIsRewritten_showsWhatWasThere() {
        var space = largeRange(server());
        var before = space.chunks();
        var reader = server().connectSmall();
        reader.send(space.request()).receiveChunkedHead();
        var seen = new ArrayList<>(List.of(reader.nextChunk().orElseThrow()));
        for (var i = 0; i < LARGE_RANGE_ENTRIES; i++) {
            space.put(KeySpace.numbered(i) + "-new", Values.small());
            if (i % 2 == 0) {
                space.put(KeySpace.numbered(i), Values.small());
            } else {
                space.delete(KeySpace.numbered(i));
            }
        }
        reader.remainingChunks().forEachRemaining(seen::add);
        expectSame(before, seen);
        space.range().expectChunks(space.chunks());
    }

    /**
     * One writer rewrites all keys in their order; each value is the number of the round. So at
     * each moment, the first keys have the number of this round, and all others the number of the
     * round before. A range with any other numbers shows several moments.
     */
    @Test
    @Verifies(Promise.RANGE_IS_CONSISTENT)
    default void range_underAWriter_showsOneMoment() {
        var server = server();
        var space = KeySpace.filled(server, REWRITTEN_KEYS, Values.text("0"));
        var rounds = new AtomicInteger();
        var done = new AtomicBoolean();
        try (var writer = ClientThreads.start(1, _ -> rewrite(server, space, rounds, done))) {
            ClientThreads.run(2, server.longPatience(), _ -> watch(server, space, rounds));
            done.set(true);
            writer.join(server.longPatience());
        }
    }

    private static void rewrite(
            ServerUnderTest server, KeySpace space, AtomicInteger rounds, AtomicBoolean done) {
        while (!done.get()) {
            var value = Values.text(String.valueOf(rounds.get() + 1));
            for (var i = 0; i < REWRITTEN_KEYS; i++) {
                server.put(space.key(KeySpace.numbered(i)), value).expectStatus(201);
            }
            rounds.incrementAndGet();
        }
    }

    private static void watch(ServerUnderTest server, KeySpace space, AtomicInteger rounds) {
        for (var i = 0; i < 100; i++) {
            var roundsDone = rounds.get();
            expectOneMoment(server.ask(space.request()), roundsDone);
        }
    }

    private static void expectOneMoment(Response response, int roundsDone) {
        var rounds =
                response.expectStatus(200).chunks().stream()
                        .map(RangeStreamingContract::roundOf)
                        .toList();
        var falling = rounds.stream().sorted(Comparator.reverseOrder()).toList();
        if (rounds.size() != REWRITTEN_KEYS
                || !rounds.equals(falling)
                || rounds.getFirst() - rounds.getLast() > 1
                || rounds.getLast() < roundsDone) {
            var expected =
                    "%d keys: the first ones of round N + 1, the rest of round N, N >= %d"
                            .formatted(REWRITTEN_KEYS, roundsDone);
            throw new Mismatch(expected, "rounds " + rounds);
        }
    }

    private static int roundOf(byte[] chunk) {
        var text = new String(chunk, US_ASCII);
        return Integer.parseInt(text.substring(text.indexOf('\n') + 1));
    }

    @Test
    @Verifies(Promise.RANGE_IS_STREAMED)
    default void range_ofSlowReaders_harmsNobodyAndIsComplete() {
        var server = server();
        var space = largeRange(server);
        var readers = StalledClients.readersOfRange(server, 32, space);
        Bystanders.areServed(server);
        var chunks = space.chunks();
        for (var i = 0; i < readers.size(); i++) {
            if (i % 8 == 0) {
                readers.get(i).receive().expectChunks(chunks);
                readers.get(i).expectInStep();
            } else {
                readers.get(i).reset();
            }
        }
        Bystanders.areServed(server);
    }

    @Test
    @Verifies(Promise.RANGE_IS_STREAMED)
    default void range_abandonedByItsReaders_harmsNobody() {
        var server = server();
        var space = largeRange(server);
        for (var i = 0; i < 20; i++) {
            server.connect().send(space.request()).reset();
            server.connectSmall().send(space.request()).awaitAnswer().reset();
        }
        space.range().expectChunks(space.chunks());
    }

    @Test
    @Verifies(Promise.ONE_RESPONSE_EACH)
    default void range_ofClientThatEndsItsSide_isComplete() {
        var server = server();
        var space = largeRange(server);
        var connection = server.connectSmall();
        connection.send(space.request()).finishSending().receive().expectChunks(space.chunks());
        connection.expectClosed();
    }

    @Test
    @Verifies(Promise.RANGE_IS_STREAMED)
    @Needs(Ability.BOUNDED_MEMORY)
    default void range_largerThanMemory_isComplete() {
        var server = freshServer();
        var entries = SeededEntries.largerThanMemory(server, LARGE_RANGE_VALUE_BYTES);
        var request = entries.space().request();
        var stalled = StalledClients.readersOfRange(server, 4, entries.space());
        entries.expectFrom(server.connect().send(request));
        entries.expectUnlessCutOff(stalled.getFirst());
    }

    private static KeySpace largeRange(ServerUnderTest server) {
        return KeySpace.filled(server, LARGE_RANGE_ENTRIES, Values.ofSize(LARGE_RANGE_VALUE_BYTES));
    }

    private static void expectSame(List<byte[]> before, List<byte[]> seen) {
        for (var i = 0; i < Math.min(before.size(), seen.size()); i++) {
            if (!Arrays.equals(before.get(i), seen.get(i))) {
                var was = Preview.of(before.get(i));
                var expected = "chunk %,d as it was when the range began, %s".formatted(i + 1, was);
                throw new Mismatch(expected, Preview.of(seen.get(i)));
            }
        }
        if (before.size() != seen.size()) {
            var expected = "%,d entries, as when the range began".formatted(before.size());
            throw new Mismatch(expected, seen.size() + " entries");
        }
    }
}
