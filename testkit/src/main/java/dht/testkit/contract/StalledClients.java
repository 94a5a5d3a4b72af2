package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Clients that keep a server waiting for as long as their test lasts. */
final class StalledClients {
    /** More than the buffers between a server and a reader with a small one can hold. */
    static final int UNREAD_BYTES = 8 << 20;

    private StalledClients() {}

    /** Clients that have sent the head of a PUT and half its body. */
    static List<Connection> uploads(
            ServerUnderTest server, int count, List<String> keys, byte[] value) {
        return Stream.iterate(0, i -> i + 1)
                .limit(count)
                .map(
                        i ->
                                server.connect()
                                        .sendHead(Request.put(Target.entity(keys.get(i)), value))
                                        .sendBody(Arrays.copyOf(value, value.length / 2)))
                .toList();
    }

    /** Clients that have asked for a large value and don't read it. */
    static List<Connection> readersOfValue(ServerUnderTest server, int count, byte[] value) {
        var key = Keys.unique();
        server.put(key, value).expectStatus(201);
        return Stream.generate(
                        () ->
                                server.connectSmall()
                                        .send(Request.get(Target.entity(key)))
                                        .awaitAnswer())
                .limit(count)
                .toList();
    }

    /** Clients that have asked for a large range and don't read it. */
    static List<Connection> readersOfRange(ServerUnderTest server, int count, KeySpace entries) {
        return Stream.generate(() -> server.connectSmall().send(entries.request()).awaitAnswer())
                .limit(count)
                .toList();
    }

    static byte[] unreadValue() {
        return Values.ofSize(UNREAD_BYTES);
    }
}
