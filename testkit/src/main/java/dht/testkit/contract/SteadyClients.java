package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Ordinary clients that write and read for as long as other clients trouble the server, each on one
 * connection that stays open. Each request must succeed within the server's patience.
 *
 * <p>For one thread.
 */
final class SteadyClients implements AutoCloseable {
    private static final int CLIENTS = 4;

    /** So that the clients are no load themselves. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final ServerUnderTest server;
    private final ClientThreads threads;
    private final AtomicLong asked = new AtomicLong();
    private final AtomicLong slowestNanos = new AtomicLong();
    private volatile boolean enough;

    private SteadyClients(ServerUnderTest server) {
        this.server = server;
        this.threads = ClientThreads.start(CLIENTS, _ -> client());
    }

    static SteadyClients start(ServerUnderTest server) {
        return new SteadyClients(server);
    }

    private void client() {
        var target = Target.entity(Keys.unique());
        try (var connection = server.connect()) {
            while (!enough) {
                var value = Values.small();
                timed(() -> put(connection, target, value));
                timed(() -> connection.send(Request.get(target)).receive().expectValue(value));
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            connection.expectInStep();
        }
    }

    private static void put(Connection connection, String target, byte[] value) {
        connection.send(Request.put(target, value)).receive().expectStatus(201);
    }

    private void timed(Runnable exchange) {
        var startNanos = System.nanoTime();
        exchange.run();
        asked.incrementAndGet();
        slowestNanos.accumulateAndGet(System.nanoTime() - startNanos, Math::max);
    }

    /** How many requests were answered. */
    long askedCount() {
        return asked.get();
    }

    /** The longest time from a request to its answer. */
    long slowestMillis() {
        return TimeUnit.NANOSECONDS.toMillis(slowestNanos.get());
    }

    /** Stops the clients, and checks that each request has succeeded. */
    void expectServed() {
        enough = true;
        threads.join(server.longPatience());
    }

    @Override
    public void close() {
        enough = true;
        threads.close();
    }
}
