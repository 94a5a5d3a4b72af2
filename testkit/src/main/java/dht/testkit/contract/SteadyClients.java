package dht.testkit.contract;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.transcript.Mismatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Ordinary clients that write and read for as long as other clients trouble the server, each on one
 * connection that stays open. Each request must succeed within the server's patience.
 *
 * <p>Requests are due at fixed times, and a latency is counted from the time at which the request
 * was due. So if the server answers nobody for a second, each request that was due in this second
 * is slow.
 *
 * <p>For one thread.
 */
final class SteadyClients implements AutoCloseable {
    private static final int CLIENTS = 4;

    private final ServerUnderTest server;
    private final long pauseNanos;
    private final ClientThreads threads;

    @GuardedBy("this")
    private final List<Long> latenciesNanos = new ArrayList<>(); // In the order of the answers.

    private volatile boolean enough;

    private SteadyClients(ServerUnderTest server, Duration pause) {
        this.server = server;
        this.pauseNanos = pause.toNanos();
        this.threads = ClientThreads.start(CLIENTS, _ -> client());
    }

    /**
     * @param pause the time between two requests of a client
     */
    static SteadyClients start(ServerUnderTest server, Duration pause) {
        return new SteadyClients(server, pause);
    }

    private void client() {
        var target = Target.entity(Keys.unique());
        try (var connection = server.connect()) {
            var dueNanos = System.nanoTime();
            while (!enough) {
                var value = Values.small();
                timed(dueNanos, () -> put(connection, target, value));
                timed(dueNanos + pauseNanos, () -> expect(connection, target, value));
                dueNanos += 2 * pauseNanos;
            }
            connection.expectInStep();
        }
    }

    private static void put(Connection connection, String target, byte[] value) {
        connection.send(Request.put(target, value)).receive().expectStatus(201);
    }

    private static void expect(Connection connection, String target, byte[] value) {
        connection.send(Request.get(target)).receive().expectValue(value);
    }

    private void timed(long dueNanos, Runnable exchange) {
        for (long left; (left = dueNanos - System.nanoTime()) > 0; ) {
            LockSupport.parkNanos(left);
        }
        exchange.run();
        answered(System.nanoTime() - dueNanos);
    }

    private synchronized void answered(long latencyNanos) {
        latenciesNanos.add(latencyNanos);
    }

    /** How many requests were answered. */
    synchronized int answeredCount() {
        return latenciesNanos.size();
    }

    /** Waits until so many requests were answered. */
    void awaitAnswered(int count) {
        threads.await(
                "%,d requests to be answered".formatted(count),
                server.longPatience(),
                () -> answeredCount() >= count);
    }

    /** The latency that 99 of 100 requests did not exceed, without the first {@code skipped}. */
    long p99Millis(int skipped) {
        var sorted = latenciesAfter(skipped).stream().sorted().toList();
        if (sorted.isEmpty()) {
            throw new Mismatch("the requests of other clients to be answered", "no answer");
        }
        var rank = Math.ceilDiv(99 * sorted.size(), 100);
        return TimeUnit.NANOSECONDS.toMillis(sorted.get(rank - 1));
    }

    private synchronized List<Long> latenciesAfter(int skipped) {
        return List.copyOf(latenciesNanos.subList(skipped, latenciesNanos.size()));
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
