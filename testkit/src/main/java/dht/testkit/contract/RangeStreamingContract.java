package dht.testkit.contract;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.Crew;
import dht.testkit.http.Connection;
import dht.testkit.http.Response;
import dht.testkit.junit.Contract;
import dht.testkit.junit.Keeps;
import dht.testkit.junit.Needs;
import dht.testkit.node.Ability;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Preview;
import dht.testkit.transcript.Promise;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Ranges that take a while: what they show of writes meanwhile, and what they cost others. Part of
 * {@link RangeContract}.
 */
public interface RangeStreamingContract extends Contract {
    /** So many entries make a range that fills every buffer before a reader who doesn't read. */
    int LARGE_RANGE_ENTRIES = 128;

    int LARGE_RANGE_VALUE_BYTES = StalledClients.UNREAD_BYTES / LARGE_RANGE_ENTRIES;

    @Test
    @Keeps(Promise.RANGE_IS_CONSISTENT)
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
     * One writer rewrites all keys in their order, each with the number of its round. At any one
     * moment some first keys have the number of this round, and the rest that of the round before;
     * a view of several moments shows anything else.
     */
    @Test
    @Keeps(Promise.RANGE_IS_CONSISTENT)
    default void range_underAWriter_showsOneMoment() {
        var server = server();
        var space = KeySpace.filled(server, 40, Values.text("0"));
        var roundsDone = new AtomicInteger();
        var done = new AtomicBoolean();
        try (var writer =
                Crew.start(
                        1,
                        _ -> {
                            while (!done.get()) {
                                for (var i = 0; i < 40; i++) {
                                    server.put(
                                                    space.key(KeySpace.numbered(i)),
                                                    Values.text(
                                                            String.valueOf(roundsDone.get() + 1)))
                                            .expectStatus(201);
                                }
                                roundsDone.incrementAndGet();
                            }
                        })) {
            Crew.run(
                    2,
                    server.longPatience(),
                    _ -> {
                        for (var i = 0; i < 100; i++) {
                            var atLeast = roundsDone.get();
                            expectOneMoment(server.ask(space.request()), 40, atLeast);
                        }
                    });
            done.set(true);
            writer.join(server.longPatience());
        }
    }

    private static void expectOneMoment(Response response, int count, int atLeast) {
        var rounds =
                response.expectStatus(200).chunks().stream()
                        .map(chunk -> new String(chunk, US_ASCII))
                        .map(text -> Integer.parseInt(text.substring(text.indexOf('\n') + 1)))
                        .toList();
        var falls = true;
        for (var i = 1; i < rounds.size(); i++) {
            falls &= rounds.get(i) <= rounds.get(i - 1);
        }
        if (rounds.size() != count
                || !falls
                || rounds.getFirst() - rounds.getLast() > 1
                || rounds.getLast() < atLeast) {
            throw new Mismatch(
                    "%d keys, some first ones of round N + 1, the rest of round N, N at least %d"
                            .formatted(count, atLeast),
                    "rounds " + rounds);
        }
    }

    @Test
    @Keeps(Promise.RANGE_IS_STREAMED)
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
    @Keeps(Promise.RANGE_IS_STREAMED)
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
    @Keeps(Promise.ONE_RESPONSE_EACH)
    default void range_ofClientThatEndsItsSide_isComplete() {
        var server = server();
        var space = largeRange(server);
        var connection = server.connectSmall();
        connection.send(space.request()).finishSending().receive().expectChunks(space.chunks());
        connection.expectClosed();
    }

    @Test
    @Keeps(Promise.RANGE_IS_STREAMED)
    @Needs(Ability.BOUNDED_MEMORY)
    default void range_largerThanMemory_isComplete() {
        var server = freshServer();
        var valueBytes = 256 << 10;
        var count = (int) (server.node().memoryBytesMax().orElseThrow() * 3 / 2 / valueBytes);
        var space = new KeySpace(server);
        for (var i = 0; i < count; i++) {
            server.put(space.key(KeySpace.numbered(i)), Values.ofSize(valueBytes, i))
                    .expectStatus(201);
        }
        var stalled = StalledClients.readersOfRange(server, 4, space);
        expectSeeded(server.connect().send(space.request()), space, count, valueBytes);
        expectSeeded(stalled.getFirst(), space, count, valueBytes);
    }

    /** Reads on without keeping what it has read. */
    private static void expectSeeded(Connection reader, KeySpace space, int count, int valueBytes) {
        var chunks = reader.receiveChunkedHead().remainingChunks();
        for (var i = 0; i < count; i++) {
            var key = space.key(KeySpace.numbered(i));
            if (!chunks.hasNext()
                    || !Arrays.equals(
                            chunks.next(), KeySpace.chunk(key, Values.ofSize(valueBytes, i)))) {
                throw new Mismatch(
                        "chunk %,d of %,d to be that of %s".formatted(i + 1, count, key),
                        "another, or the end");
            }
        }
        if (chunks.hasNext()) {
            throw new Mismatch("%,d chunks".formatted(count), "more");
        }
        reader.expectInStep();
    }

    private static KeySpace largeRange(ServerUnderTest server) {
        return KeySpace.filled(server, LARGE_RANGE_ENTRIES, Values.ofSize(LARGE_RANGE_VALUE_BYTES));
    }

    private static void expectSame(List<byte[]> expected, List<byte[]> seen) {
        for (var i = 0; i < Math.min(expected.size(), seen.size()); i++) {
            if (!Arrays.equals(expected.get(i), seen.get(i))) {
                throw new Mismatch(
                        "chunk %,d as it was when the range began, %s"
                                .formatted(i + 1, Preview.of(expected.get(i))),
                        Preview.of(seen.get(i)));
            }
        }
        if (expected.size() != seen.size()) {
            throw new Mismatch(
                    "%,d entries, as when the range began".formatted(expected.size()),
                    seen.size() + " entries");
        }
    }
}
