package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import dht.testkit.transcript.Mismatch;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Many clients that write and read at the same time without pauses. Each client uses one
 * connection. Each answer is checked: it must be correct or a rejection (503).
 *
 * <p>Threads may share it.
 */
final class ClientBurst {
    private static final int CLIENTS = 64;
    private static final int ROUNDS = 8;
    private static final byte[] VALUE = Values.ofSize(20_000);

    private final ServerUnderTest server;
    private final BooleanSupplier isEnough;
    private final Queue<String> written = new ConcurrentLinkedQueue<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    /**
     * @param isEnough whether a client may stop after its minimum number of requests
     */
    ClientBurst(ServerUnderTest server, BooleanSupplier isEnough) {
        this.server = server;
        this.isEnough = isEnough;
    }

    /** Runs a burst and returns its result. */
    static ClientBurst done(ServerUnderTest server) {
        var rush = new ClientBurst(server, () -> true);
        try (var clients = rush.start()) {
            clients.join(server.longPatience());
        }
        return rush;
    }

    ClientThreads start() {
        return ClientThreads.start(CLIENTS, _ -> client());
    }

    private void client() {
        var connection = server.connect();
        for (var round = 0; round < ROUNDS || !isEnough.getAsBoolean(); round++) {
            var target = Target.entity(Keys.unique());
            var put = ask(connection, Request.put(target, VALUE));
            var get = ask(connection, Request.get(target));
            if (isRefusal(put)) {
                expectAbsent(get);
                continue;
            }
            put.expectStatus(201);
            written.add(target);
            if (!isRefusal(get)) {
                get.expectValue(VALUE);
            }
        }
        connection.expectInStep();
    }

    private Response ask(Connection connection, Request request) {
        asked.incrementAndGet();
        return connection.send(request).receive();
    }

    private static void expectAbsent(Response get) {
        if (get.status() != 503) {
            get.expectStatus(404);
        }
    }

    private boolean isRefusal(Response response) {
        if (response.status() != 503) {
            return false;
        }
        refused.incrementAndGet();
        response.expectError(503);
        var retryAfter = response.header("Retry-After").orElse("none");
        if (!retryAfter.matches("\\d+")) {
            throw new Mismatch("503 with Retry-After in seconds", "Retry-After: " + retryAfter);
        }
        return true;
    }

    /** Checks that each acknowledged write can be read. */
    void expectWritten() {
        for (var target : written) {
            server.ask(Request.get(target)).expectValue(VALUE);
        }
    }

    int askedCount() {
        return asked.get();
    }

    int refusedCount() {
        return refused.get();
    }
}
