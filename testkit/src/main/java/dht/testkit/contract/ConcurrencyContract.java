package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.http.Response;
import dht.testkit.junit.Contract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Preview;
import dht.testkit.transcript.Promise;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What clients see when they read and write the same keys at the same time. Part of {@link
 * EntityContract}.
 */
public interface ConcurrencyContract extends Contract {
    /** Clients that write the same key. */
    int WRITERS = 8;

    /** The minimum number of reads of each reader, also if the writer has ended. */
    int READS_MIN = 50;

    @Test
    @Verifies(Promise.WRITTEN_IS_READ)
    default void writers_ofDifferentKeys_loseNothing() {
        var server = server();
        ClientThreads.run(16, server.longPatience(), _ -> writeAndReadBack(server, 25));
    }

    private static void writeAndReadBack(ServerUnderTest server, int count) {
        var keys = Stream.generate(Keys::unique).limit(count).toList();
        for (var key : keys) {
            server.put(key, Values.text("value of " + key)).expectStatus(201);
        }
        for (var key : keys) {
            server.get(key).expectValue(Values.text("value of " + key));
        }
    }

    @Test
    @Verifies(Promise.WRITES_ARE_WHOLE)
    default void writers_ofOneKey_leaveOneValueEntire() {
        var server = server();
        var key = Keys.unique();
        ClientThreads.run(WRITERS, server.longPatience(), writer -> overwrite(server, key, writer));
        expectHomogeneous(server.get(key));
    }

    private static void overwrite(ServerUnderTest server, String key, int writer) {
        for (var i = 0; i < 25; i++) {
            server.put(key, homogeneous(writer)).expectStatus(201);
            expectHomogeneous(server.get(key));
        }
    }

    @Test
    @Verifies(Promise.WRITES_ARE_WHOLE)
    default void readers_duringOverwrites_neverSeeAnOlderValue() {
        var server = server();
        var key = Keys.unique();
        server.put(key, Values.text("0")).expectStatus(201);
        var newest = new AtomicInteger();
        var done = new AtomicBoolean();
        try (var readers = ClientThreads.start(3, _ -> watch(server, key, newest, done))) {
            for (var i = 1; i <= 300; i++) {
                server.put(key, Values.text(String.valueOf(i))).expectStatus(201);
                newest.set(i);
            }
            done.set(true);
            readers.join(server.longPatience());
        }
    }

    /**
     * Reads a key whose value is a growing number. A number must not be smaller than one that was
     * acknowledged or read before the request.
     */
    private static void watch(
            ServerUnderTest server, String key, AtomicInteger newest, AtomicBoolean done) {
        var atLeast = 0;
        for (var reads = 0; reads < READS_MIN || !done.get(); reads++) {
            atLeast = Math.max(atLeast, newest.get());
            var seen = number(server.get(key));
            if (seen < atLeast) {
                throw new Mismatch("value %d or a later one".formatted(atLeast), "value " + seen);
            }
            atLeast = seen;
        }
    }

    @Test
    @Verifies(Promise.WRITES_ARE_WHOLE)
    default void readers_duringPutsAndDeletes_seeTheValueOrNone() {
        var server = server();
        var key = Keys.unique();
        var value = Values.ofSize(3000);
        var done = new AtomicBoolean();
        try (var readers =
                ClientThreads.start(3, _ -> expectAllOrNothing(server, key, value, done))) {
            for (var i = 0; i < 100; i++) {
                server.put(key, value).expectStatus(201);
                server.get(key).expectValue(value);
                server.delete(key).expectStatus(202);
                server.get(key).expectStatus(404);
            }
            done.set(true);
            readers.join(server.longPatience());
        }
    }

    private static void expectAllOrNothing(
            ServerUnderTest server, String key, byte[] value, AtomicBoolean done) {
        while (!done.get()) {
            var response = server.get(key).expectStatus(200, 404);
            if (response.status() == 200) {
                response.expectValue(value);
            }
        }
    }

    /** A value that identifies its writer by its length and by each of its bytes. */
    private static byte[] homogeneous(int writer) {
        var value = new byte[3001 * (writer + 1)];
        Arrays.fill(value, (byte) ('a' + writer));
        return value;
    }

    private static void expectHomogeneous(Response response) {
        var body = response.expectStatus(200).body();
        if (body.length == 0 || body[0] < 'a' || body[0] >= 'a' + WRITERS) {
            throw new Mismatch("the value of some writer", Preview.of(body));
        }
        response.expectBody(homogeneous(body[0] - 'a'));
    }

    private static int number(Response response) {
        var text = new String(response.expectStatus(200).body(), StandardCharsets.US_ASCII);
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException _) {
            throw new Mismatch("a number that was written", Preview.of(response.body()));
        }
    }
}
