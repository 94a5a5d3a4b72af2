package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.Contract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * {@code Expect: 100-continue}, which curl sends with large values. Part of {@link
 * HostileInputContract}.
 */
public interface ExpectContract extends Contract {
    String EXPECT = "Expect: 100-continue";

    @Test
    @Verifies(Promise.EXPECT_IS_HONOURED)
    default void expect_withBodyHeldBack_continuesThenStores() {
        for (var spelling : List.of(EXPECT, "expect: 100-Continue")) {
            var server = server();
            var key = Keys.unique();
            var value = Values.small();
            var connection = server.connect();
            connection
                    .sendHead(Request.put(Target.entity(key), value).header(spelling))
                    .receive()
                    .expectStatus(100);
            connection.sendBody(value).receive().expectStatus(201);
            connection.expectInStep();
            server.get(key).expectValue(value);
        }
    }

    @Test
    @Verifies(Promise.EXPECT_IS_HONOURED)
    default void expect_withLargestBody_continuesThenStores() {
        var server = server();
        var key = Keys.unique();
        var value = Values.ofSize(Values.BYTES_MAX);
        var connection = server.connect();
        connection
                .sendHead(Request.put(Target.entity(key), value).header(EXPECT))
                .receive()
                .expectStatus(100);
        connection.sendBody(value).receive().expectStatus(201);
        connection.expectInStep();
        server.get(key).expectValue(value);
        server.delete(key).expectStatus(202);
    }

    @Test
    @Verifies(Promise.EXPECT_IS_HONOURED)
    default void expect_withTooLargeBody_returns413Instead() {
        var server = server();
        var key = Keys.unique();
        var connection = server.connect();
        connection
                .sendHead(
                        Request.of("PUT", Target.entity(key))
                                .header("Content-Length: " + (Values.BYTES_MAX + 1))
                                .header(EXPECT))
                .receive()
                .expectStatus(413);
        connection.expectClosed();
        server.get(key).expectStatus(404);
    }

    @Test
    @Verifies(Promise.EXPECT_IS_HONOURED)
    default void expect_withBodySentAtOnce_storesOnce() {
        var server = server();
        var key = Keys.unique();
        var value = Values.small();
        var connection = server.connect();
        connection
                .send(Request.put(Target.entity(key), value).header(EXPECT))
                .receiveFinal()
                .expectStatus(201);
        connection.expectInStep();
        server.get(key).expectValue(value);
    }

    @Test
    @Verifies(Promise.EXPECT_IS_HONOURED)
    default void expect_withBadKey_returns400() {
        var value = Values.small();
        var connection = server().connect();
        var first =
                connection
                        .sendHead(Request.put(Target.ENTITY + "?id=%zz", value).header(EXPECT))
                        .receive()
                        .expectStatus(100, 400);
        if (first.status() == 100) {
            connection.sendBody(value).receive().expectStatus(400);
            connection.expectInStep();
        } else {
            first.expectStatus(400); // The server may close or stay open.
        }
    }
}
