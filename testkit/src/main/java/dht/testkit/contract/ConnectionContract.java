package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.Contract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Connections that are used for several requests, that break, or that a client does not read. Part
 * of {@link HostileInputContract}.
 */
public interface ConnectionContract extends Contract {
    @Test
    @Verifies(Promise.ONE_RESPONSE_EACH)
    default void request_ofEachKind_getsExactlyOneResponse() {
        var server = server();
        var key = Keys.unique();
        var value = Values.small();
        record Exchange(Request request, int status) {}
        for (var exchange :
                List.of(
                        new Exchange(Request.get(Target.STATUS), 200),
                        new Exchange(Request.get(Target.entity(key)), 404),
                        new Exchange(Request.put(Target.entity(key), value), 201),
                        new Exchange(Request.get(Target.entity(key)), 200),
                        new Exchange(Request.get(Target.entities(key, key + "0")), 200),
                        new Exchange(Request.delete(Target.entity(key)), 202),
                        new Exchange(Request.get(Target.entities(key, key + "0")), 200),
                        new Exchange(Request.get(Target.ENTITY), 400),
                        new Exchange(Request.get("/v0/nothing"), 400),
                        new Exchange(Request.of("POST", Target.entity(key)).body(value), 405))) {
            var connection = server.connect();
            connection.send(exchange.request()).receive().expectStatus(exchange.status());
            connection.expectInStep();
        }
    }

    @Test
    @Verifies(Promise.BAD_REQUESTS_KEEP_THE_CONNECTION)
    default void connection_afterBadRequests_staysUsable() {
        var key = Keys.unique();
        var value = Values.small();
        var connection = server().connect();
        for (var bad :
                List.of(
                        Request.get(Target.ENTITY),
                        Request.get(Target.ENTITY + "?id=%ff"),
                        Request.get(Target.entity(Keys.ofLength(Keys.BYTES_MAX + 1))),
                        Request.get(Target.ENTITIES),
                        Request.get("/v0/nothing"),
                        Request.of("POST", Target.STATUS))) {
            connection.send(bad).receive().expectStatus(400, 405);
            connection.send(Request.put(Target.entity(key), value)).receive().expectStatus(201);
            connection.send(Request.get(Target.entity(key))).receive().expectValue(value);
        }
        connection.expectInStep();
    }

    @Test
    @Verifies(Promise.BAD_REQUESTS_KEEP_THE_CONNECTION)
    default void connection_afterBadRequestsWithBodies_staysUsable() {
        var body = Values.ofSize(100_000);
        var connection = server().connect();
        for (var bad :
                List.of(
                        Request.put(Target.ENTITY, body),
                        Request.put(Target.ENTITY + "?id=%zz", body),
                        Request.put("/v0/nothing", body),
                        Request.put(Target.STATUS, body),
                        Request.of("POST", Target.entity(Keys.unique())).body(body))) {
            connection.send(bad).receive().expectStatus(400, 405);
        }
        connection.expectInStep();
    }

    @Test
    @Verifies(Promise.ONE_RESPONSE_EACH)
    default void pipeline_ofManyReads_isAnsweredInOrder() {
        var server = server();
        var keys = Stream.generate(Keys::unique).limit(300).toList();
        keys.forEach(key -> server.put(key, Values.text(key)).expectStatus(201));
        var connection = server.connect();
        connection.sendPipelined(
                keys.stream().map(key -> Request.get(Target.entity(key))).toList());
        keys.forEach(key -> connection.receive().expectValue(Values.text(key)));
        connection.expectInStep();
    }

    @Test
    @Verifies(Promise.ONE_RESPONSE_EACH)
    default void pipeline_ofWritesAndReads_takesEffectInOrder() {
        var target = Target.entity(Keys.unique());
        var first = Values.ofSize(20_000);
        var second = Values.small();
        var connection = server().connect();
        connection.sendPipelined(
                List.of(
                        Request.get(target),
                        Request.put(target, first),
                        Request.get(target),
                        Request.put(target, second),
                        Request.get(target),
                        Request.get(Target.ENTITY),
                        Request.delete(target),
                        Request.get(target)));
        connection.receive().expectStatus(404);
        connection.receive().expectStatus(201);
        connection.receive().expectValue(first);
        connection.receive().expectStatus(201);
        connection.receive().expectValue(second);
        connection.receive().expectStatus(400);
        connection.receive().expectStatus(202);
        connection.receive().expectStatus(404);
        connection.expectInStep();
    }

    @Test
    @Verifies(Promise.ONE_RESPONSE_EACH)
    default void pipeline_ofLargeAnswers_isAnsweredInOrder() {
        var server = server();
        var keys = Stream.generate(Keys::unique).limit(8).toList();
        keys.forEach(key -> server.put(key, largeValueOf(key)).expectStatus(201));
        var connection = server.connectSmall();
        var requests = new ArrayList<Request>();
        keys.forEach(
                key ->
                        requests.addAll(
                                List.of(
                                        Request.get(Target.entity(key)),
                                        Request.get(Target.STATUS))));
        connection.sendPipelined(requests).awaitAnswer();
        for (var key : keys) {
            connection.receive().expectValue(largeValueOf(key));
            connection.receive().expectStatus(200);
        }
        connection.expectInStep();
    }

    private static byte[] largeValueOf(String key) {
        return Values.ofSize(1 << 20, key.hashCode());
    }

    @Test
    @Verifies(Promise.MESSAGES_ARE_FRAMED)
    default void connection_askedToClose_isClosedAfterTheAnswer() {
        for (var line : List.of("Connection: close", "connection: CLOSE")) {
            var connection = server().connect();
            connection.send(Request.get(Target.STATUS).header(line)).receive().expectStatus(200);
            connection.expectClosed();
        }
    }

    @Test
    @Verifies(Promise.MESSAGES_ARE_FRAMED)
    default void connection_ofHttp10_isClosedAfterTheAnswer() {
        var server = server();
        var key = Keys.unique();
        var value = Values.small();
        for (var request :
                List.of(Request.put(Target.entity(key), value), Request.get(Target.entity(key)))) {
            var connection = server.connect();
            connection.send(request.version("HTTP/1.0")).receive().expectStatus(200, 201);
            connection.expectClosed();
        }
        server.get(key).expectValue(value);
    }

    @Test
    @Verifies(Promise.ONE_RESPONSE_EACH)
    default void client_thatEndsItsSide_getsItsAnswer() {
        var server = server();
        var key = Keys.unique();
        var value = StalledClients.unreadValue();
        server.put(key, value).expectStatus(201);
        for (var connection : List.of(server.connect(), server.connectSmall())) {
            connection.send(Request.get(Target.entity(key))).finishSending();
            connection.receive().expectValue(value);
            connection.expectClosed();
        }
    }

    @Test
    @Verifies(Promise.CLIENTS_ARE_APART)
    default void client_thatEndsWithinARequest_storesNothing() {
        var server = server();
        for (var sent : List.of(1, 10, 40, 60, 100, 200)) {
            var key = Keys.unique();
            var connection = server.connect();
            connection
                    .sendPrefix(Request.put(Target.entity(key), Values.ofSize(1000)), sent)
                    .finishSending();
            connection.awaitClose(); // Now the server has seen the end.
            server.get(key).expectStatus(404);
        }
    }

    @Test
    @Verifies(Promise.CLIENTS_ARE_APART)
    default void clients_thatCrash_harmNobody() {
        var server = server();
        var key = Keys.unique();
        var value = Values.ofSize(1 << 20);
        server.put(key, value).expectStatus(201);
        for (var i = 0; i < 20; i++) {
            server.connect().reset();
            server.connect()
                    .sendPrefix(Request.put(Target.entity(Keys.unique()), value), 3000)
                    .reset();
            server.connectSmall().send(Request.get(Target.entity(key))).awaitAnswer().reset();
            server.connect().send(Request.get(Target.entity(key))).reset();
        }
        server.get(key).expectValue(value);
    }

    @Test
    @Verifies(Promise.CLIENTS_ARE_APART)
    default void uploads_thatStall_harmNobodyAndComplete() {
        var server = server();
        var value = Values.ofSize(10_000);
        var keys = Stream.generate(Keys::unique).limit(32).toList();
        var uploads = StalledClients.uploads(server, keys, value);
        Bystanders.areServed(server);
        var rest = Arrays.copyOfRange(value, value.length / 2, value.length);
        for (var i = 0; i < uploads.size(); i++) {
            server.get(keys.get(i)).expectStatus(404);
            uploads.get(i).sendBody(rest).receive().expectStatus(201);
            server.get(keys.get(i)).expectValue(value);
        }
    }

    /** A server allocates memory for bytes that have arrived, not for the announced length. */
    @Test
    @Verifies(Promise.CLIENTS_ARE_APART)
    default void uploads_thatAreAnnouncedAndStall_takeNobodysMemory() {
        var server = server();
        var announced = Request.put(Target.entity(Keys.unique()), new byte[Values.BYTES_MAX]);
        for (var i = 0; i < 300; i++) {
            server.connect().sendHead(announced).sendBody(new byte[1]);
        }
        var key = Keys.unique();
        var value = Values.ofSize(100_000);
        server.put(key, value).expectStatus(201);
        server.get(key).expectValue(value);
    }

    @Test
    @Verifies(Promise.CLIENTS_ARE_APART)
    default void readers_thatStall_harmNobodyAndGetAll() {
        var server = server();
        var value = StalledClients.unreadValue();
        var readers = StalledClients.readersOfValue(server, 4, value);
        Bystanders.areServed(server);
        readers.forEach(
                reader -> {
                    reader.receive().expectValue(value);
                    reader.expectInStep();
                });
    }

    @Test
    @Verifies(Promise.CLIENTS_ARE_APART)
    default void connections_openedAndClosedByTheHundred_harmNobody() {
        var server = server();
        IntStream.range(0, 500).forEach(_ -> server.connect().close());
        Bystanders.areServed(server);
    }
}
