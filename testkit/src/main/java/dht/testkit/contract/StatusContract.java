package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.concurrent.ClientThreads;
import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.Contract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import java.util.Collections;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code GET /v0/status}: it answers 200, also while the server is busy. */
public interface StatusContract extends Contract {
    @Test
    @Verifies(Promise.STATUS_ANSWERS)
    default void status_get_returns200() {
        server().status().expectStatus(200);
    }

    @Test
    @Verifies(Promise.ONE_RESPONSE_EACH)
    default void status_askedOftenOnOneConnection_answersEach() {
        var connection = server().connect();
        askOften(connection, 200);
        connection.expectInStep();
    }

    @Test
    @Verifies(Promise.STATUS_ANSWERS)
    default void status_askedByManyAtOnce_answersAll() {
        var server = server();
        ClientThreads.run(32, server.longPatience(), _ -> askOften(server.connect(), 20));
    }

    private static void askOften(Connection connection, int times) {
        for (var i = 0; i < times; i++) {
            connection.send(Request.get(Target.STATUS)).receive().expectStatus(200);
        }
    }

    @Test
    @Verifies(Promise.STATUS_IS_NEVER_QUEUED)
    default void status_whileManyConnectionsIdle_returns200() {
        var server = server();
        var idle = Stream.generate(server::connect).limit(200).toList();
        isAnswered(server);
        idle.forEach(connection -> askOften(connection, 1));
    }

    @Test
    @Verifies(Promise.STATUS_IS_NEVER_QUEUED)
    default void status_whileUploadsStall_returns200() {
        var server = server();
        var sameKey = Collections.nCopies(32, Keys.unique());
        StalledClients.uploads(server, sameKey, Values.ofSize(1000));
        isAnswered(server);
    }

    @Test
    @Verifies(Promise.STATUS_IS_NEVER_QUEUED)
    default void status_whileReadersOfValuesStall_returns200() {
        var server = server();
        StalledClients.readersOfValue(server, 4, StalledClients.unreadValue());
        isAnswered(server);
    }

    @Test
    @Verifies(Promise.STATUS_IS_NEVER_QUEUED)
    default void status_whileReadersOfRangesStall_returns200() {
        var server = server();
        var large = KeySpace.filled(server, 32, Values.ofSize(StalledClients.UNREAD_BYTES / 32));
        StalledClients.readersOfRange(server, 16, large);
        isAnswered(server);
    }

    /**
     * Asks on many new connections: so each thread of a server that assigns connections to threads
     * gets some of them.
     */
    private static void isAnswered(ServerUnderTest server) {
        for (var i = 0; i < 16; i++) {
            askOften(server.connect(), 1);
        }
    }
}
