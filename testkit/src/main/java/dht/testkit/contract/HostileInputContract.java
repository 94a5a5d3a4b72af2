package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Response;
import dht.testkit.http.Target;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Requests that no correct client sends. The tests of this interface send unknown paths and
 * methods.
 */
public interface HostileInputContract
        extends KeySyntaxContract, FramingContract, ConnectionContract {
    List<String> METHODS_MISUSED =
            List.of("GET", "PUT", "DELETE", "POST", "PATCH", "OPTIONS", "BREW");

    @Test
    @Verifies(Promise.UNKNOWN_PATH_IS_400)
    default void path_unknown_returns400() {
        var connection = server().connect();
        var query = "?id=" + Keys.unique();
        for (var path :
                List.of(
                        "/",
                        "/v0",
                        "/v0/",
                        "/v0/entity/",
                        "/v0/entity/x",
                        "/v0/statusx",
                        "/v0/entit",
                        "/v0/entitiesx",
                        "/v1/entity",
                        "/V0/ENTITY",
                        "/v0//entity",
                        "/entity",
                        "/favicon.ico")) {
            connection.send(Request.get(path + query)).receive().expectStatus(400);
        }
        connection.expectInStep();
    }

    @Test
    @Verifies(Promise.UNKNOWN_PATH_IS_400)
    default void path_unknownWithAnyMethod_returns400() {
        var connection = server().connect();
        for (var method : METHODS_MISUSED) {
            connection
                    .send(Request.of(method, "/v0/nothing").body(Values.small()))
                    .receive()
                    .expectStatus(400);
        }
        connection.expectInStep();
    }

    @Test
    @Verifies(Promise.TARGETS_MAY_NAME_A_HOST)
    default void target_withSchemeAndHost_isReadInAnySpelling() {
        var server = server();
        var key = Keys.unique();
        var value = Values.small();
        server.put(key, value).expectStatus(201);
        var connection = server.connect();
        for (var host : List.of("http://h", "http://h:8080", "HTTP://H", "hTTp://[::1]:80")) {
            connection.send(Request.get(host + Target.entity(key))).receive().expectValue(value);
        }
        connection.expectInStep();
    }

    @Test
    @Verifies(Promise.TARGETS_MAY_NAME_A_HOST)
    default void target_withHostAndWithoutPath_isNotReadFromItsQuery() {
        var server = server();
        var victim = Keys.unique();
        var value = Values.small();
        server.put(victim, value).expectStatus(201);
        for (var target : List.of("http://h?x=", "http://h:80?", "http://?x=")) {
            var connection = server.connect();
            connection
                    .send(Request.delete(target + Target.entity(victim)))
                    .receive()
                    .expectStatus(400);
            connection.expectClosedOrInStep();
        }
        server.get(victim).expectValue(value);
    }

    @Test
    @Verifies(Promise.OTHER_METHOD_IS_405)
    default void method_otherThanKnownOnStatus_returns405WithAllow() {
        expectNotAllowed(Target.STATUS, List.of("GET"));
    }

    @Test
    @Verifies(Promise.OTHER_METHOD_IS_405)
    default void method_otherThanKnownOnEntity_returns405WithAllow() {
        expectNotAllowed(Target.entity(Keys.unique()), List.of("DELETE", "GET", "PUT"));
    }

    @Test
    @Verifies(Promise.OTHER_METHOD_IS_405)
    default void method_otherThanKnownOnEntities_returns405WithAllow() {
        expectNotAllowed(Target.entities(Keys.unique()), List.of("GET"));
    }

    @Test
    @Verifies(Promise.OTHER_METHOD_IS_405)
    default void method_head_returns405WithoutBody() {
        var server = server();
        var key = Keys.unique();
        server.put(key, Values.small()).expectStatus(201);
        for (var target : List.of(Target.STATUS, Target.entity(key), Target.entities(key))) {
            var connection = server.connect();
            var response = connection.send(Request.of("HEAD", target)).receiveToHead();
            expectAllow(response.expectStatus(405), "HEAD", List.of("GET"));
            connection.expectInStep();
        }
    }

    @Test
    @Verifies(Promise.ERRORS_ARE_ONE_LINE)
    default void error_ofABadRequest_isOneLineOfText() {
        var connection = server().connect();
        for (var bad :
                List.of(
                        Request.get(Target.ENTITY),
                        Request.get(Target.ENTITY + "?id="),
                        Request.get(Target.ENTITY + "?id=%zz"),
                        Request.get(Target.ENTITY + "?id=%ff"),
                        Request.get(Target.entity(Keys.ofLength(Keys.BYTES_MAX + 1))),
                        Request.get(Target.ENTITIES),
                        Request.get("/v0/nothing"),
                        Request.of("POST", Target.entity(Keys.unique())),
                        Request.of("BREW", Target.STATUS))) {
            connection.send(bad).receive().expectError(400, 405);
        }
        connection.expectInStep();
    }

    @Test
    @Verifies(Promise.ERRORS_ARE_ONE_LINE)
    default void error_thatEndsTheConnection_isOneLineOfText() {
        var put = Request.of("PUT", Target.entity(Keys.unique()));
        for (var line :
                List.of("Content-Length: abc", "Content-Length: 16777217", "Content-Length: -1")) {
            var connection = server().connect();
            connection.send(put.header(line)).receive().expectError(400, 413);
            connection.expectClosed();
        }
        var connection = server().connect();
        connection.sendRaw("GARBAGE\r\n\r\n").receive().expectError(400, 501, 505);
        connection.expectClosed();
    }

    /**
     * Sends each unknown method with a body, which the server must skip, on one connection, which
     * must stay usable.
     */
    private void expectNotAllowed(String target, List<String> known) {
        var connection = server().connect();
        for (var method : METHODS_MISUSED) {
            if (!known.contains(method)) {
                var request = Request.of(method, target).body(Values.small());
                expectAllow(connection.send(request).receive().expectStatus(405), method, known);
            }
        }
        connection.expectInStep();
    }

    private static void expectAllow(Response response, String refused, Collection<String> known) {
        var allow = response.header("Allow").orElse("");
        var allowed =
                Arrays.stream(allow.split(","))
                        .map(String::strip)
                        .collect(Collectors.toCollection(TreeSet::new));
        if (!allowed.containsAll(known) || allowed.contains(refused)) {
            throw new Mismatch(
                    "Allow: " + String.join(", ", known),
                    allow.isEmpty() ? "no Allow header" : "Allow: " + allow);
        }
    }
}
