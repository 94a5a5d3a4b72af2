package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Clients that stop in the middle of a request or an answer until their test ends. Stateless. */
final class StalledClients {
    /** More bytes than all buffers between a server and a client with a small receive buffer. */
    static final int UNREAD_BYTES = 8 << 20;

    private StalledClients() {}

    /** One client for each key; it has sent the head of a PUT and half of the body. */
    static List<Connection> uploads(ServerUnderTest server, List<String> keys, byte[] value) {
        var half = Arrays.copyOf(value, value.length / 2);
        var uploads = new ArrayList<Connection>();
        for (var key : keys) {
            var request = Request.put(Target.entity(key), value);
            uploads.add(server.connect().sendHead(request).sendBody(half));
        }
        return uploads;
    }

    /** Clients that have requested a large value and do not read it. */
    static List<Connection> readersOfValue(ServerUnderTest server, int count, byte[] value) {
        var key = Keys.unique();
        server.put(key, value).expectStatus(201);
        return readers(server, count, Request.get(Target.entity(key)));
    }

    /** Clients that have requested a large range and do not read it. */
    static List<Connection> readersOfRange(ServerUnderTest server, int count, KeySpace entries) {
        return readers(server, count, entries.request());
    }

    /** Clients that have sent a request and do not read its answer. */
    static List<Connection> readers(ServerUnderTest server, int count, Request request) {
        var readers = new ArrayList<Connection>();
        for (var i = 0; i < count; i++) {
            readers.add(server.connectSmall().send(request).awaitAnswer());
        }
        return readers;
    }

    /** A value so large that a server cannot send it completely to a stalled client. */
    static byte[] unreadValue() {
        return Values.ofSize(UNREAD_BYTES);
    }
}
