package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/**
 * How a server finds the end of a request, and what it does if the headers do not give it. Part of
 * {@link HostileInputContract}.
 */
public interface FramingContract extends ChunkedBodyContract, ExpectContract {
    /** The size of a head that is larger than any head which a server must accept. */
    int FLOOD_BYTES = 1 << 20;

    @Test
    @Verifies(Promise.OUT_OF_STEP_IS_CLOSED)
    default void contentLength_thatIsNoLength_returns400AndCloses() {
        var noLengths =
                List.of("-1", "+5", "abc", "", "5.0", "0x5", "5 5", "5,6", "-9223372036854775808");
        for (var length : noLengths) {
            expectOutOfStep("Content-Length: " + length);
        }
    }

    @Test
    @Verifies(Promise.OUT_OF_STEP_IS_CLOSED)
    default void contentLength_givenTwice_returns400AndCloses() {
        expectOutOfStep("Content-Length: 5", "Content-Length: 6");
        expectOutOfStep("Content-Length: 6", "Content-Length: 5");
        expectOutOfStep("Content-Length: 5", "Content-Length: 5");
    }

    @Test
    @Verifies(Promise.OUT_OF_STEP_IS_CLOSED)
    default void contentLength_besideTransferEncoding_returns400AndCloses() {
        expectOutOfStep("Content-Length: 5", "Transfer-Encoding: chunked");
        expectOutOfStep("Transfer-Encoding: chunked", "Content-Length: 5");
    }

    /**
     * Sends a PUT whose end is not clear. It must be answered with 400 and not stored, and the
     * connection closed.
     */
    private void expectOutOfStep(String... framing) {
        var server = server();
        var key = Keys.unique();
        var body = Values.text("5\r\nhello\r\n0\r\n\r\n");
        var request = Request.of("PUT", Target.entity(key)).unframed(body);
        for (var line : framing) {
            request = request.header(line);
        }
        var connection = server.connect();
        connection.send(request).receive().expectStatus(400);
        connection.expectClosed();
        server.get(key).expectStatus(404);
    }

    @Test
    @Verifies(Promise.TOO_LARGE_IS_413)
    default void contentLength_beyondAnyNumber_isRefusedAndClosed() {
        var server = server();
        var key = Keys.unique();
        var connection = server.connect();
        var length = "Content-Length: 18446744073709551621"; // 2^64 + 5
        connection.send(putHello(key, length)).receive().expectStatus(400, 413);
        connection.expectClosed();
        server.get(key).expectStatus(404);
    }

    @Test
    @Verifies(Promise.MESSAGES_ARE_FRAMED)
    default void contentLength_inAnySpelling_isRead() {
        var server = server();
        for (var line :
                List.of(
                        "content-length: 5",
                        "CONTENT-LENGTH: 5",
                        "Content-Length:5",
                        "Content-Length: \t 5 \t",
                        "Content-Length: 005",
                        "Content-Length: 0000000000000000005")) {
            var key = Keys.unique();
            var connection = server.connect();
            connection.send(putHello(key, line)).receive().expectStatus(201);
            connection.expectInStep();
            server.get(key).expectValue(Values.text("hello"));
        }
    }

    private static Request putHello(String key, String contentLength) {
        var put = Request.of("PUT", Target.entity(key)).header(contentLength);
        return put.unframed(Values.text("hello"));
    }

    @Test
    @Verifies(Promise.MESSAGES_ARE_FRAMED)
    default void put_withoutContentLength_storesNoBytes() {
        var server = server();
        var key = Keys.unique();
        var connection = server.connect();
        connection.send(Request.of("PUT", Target.entity(key))).receive().expectStatus(201);
        connection.expectInStep();
        server.get(key).expectValue(new byte[0]);
    }

    @Test
    @Verifies(Promise.MESSAGES_ARE_FRAMED)
    default void request_cutAtAnyByte_isAnsweredAsAWhole() {
        var server = server();
        var value = Values.text("hello");
        var prefix = Keys.unique();
        IntFunction<String> keyOf = cut -> prefix + "-%03d".formatted(cut);
        var writer = server.connect();
        var length = writer.lengthOf(Request.put(Target.entity(keyOf.apply(0)), value));
        // When another connection is answered, the server has probably read the first part alone.
        var nudges = server.connect();
        Runnable nudge = () -> nudges.send(Request.get(Target.STATUS)).receive().expectStatus(200);
        for (var cut = 1; cut < length; cut++) {
            var request = Request.put(Target.entity(keyOf.apply(cut)), value);
            writer.sendCut(request, cut, nudge).receive().expectStatus(201);
            server.get(keyOf.apply(cut)).expectValue(value);
        }
        writer.expectInStep();
    }

    @Test
    @Verifies(Promise.MESSAGES_ARE_FRAMED)
    default void body_thatLooksLikeRequests_isOnlyABody() {
        var server = server();
        var victim = Keys.unique();
        server.put(victim, Values.text("alive")).expectStatus(201);
        var key = Keys.unique();
        var connection = server.connect();
        connection
                .send(Request.put(Target.entity(key), deletionOf(victim)))
                .receive()
                .expectStatus(201);
        connection.expectInStep();
        server.get(key).expectValue(deletionOf(victim));
        server.get(victim).expectValue(Values.text("alive"));
    }

    @Test
    @Verifies(Promise.MESSAGES_ARE_FRAMED)
    default void body_ofGetOrDelete_isPassedOver() {
        var server = server();
        var victim = Keys.unique();
        server.put(victim, Values.text("alive")).expectStatus(201);
        for (var method : List.of("GET", "DELETE")) {
            var connection = server.connect();
            connection
                    .send(Request.of(method, Target.entity(Keys.unique())).body(deletionOf(victim)))
                    .receive()
                    .expectStatus(202, 404, 400);
            connection.expectClosedOrInStep();
            server.get(victim).expectValue(Values.text("alive"));
        }
    }

    /** A body that looks like a request to delete the key. */
    private static byte[] deletionOf(String victim) {
        return Request.delete(Target.entity(victim)).bytes("victim");
    }

    @Test
    @Verifies(Promise.MESSAGES_ARE_FRAMED)
    default void headers_ofAnOrdinaryClient_areAccepted() {
        var request = Request.get(Target.STATUS);
        for (var i = 0; i < 20; i++) {
            request = request.header("X-Header-%d: %s".formatted(i, "v".repeat(100)));
        }
        server().ask(request).expectStatus(200);
    }

    /**
     * Two servers in a row may read a malformed header line differently, and then disagree about
     * where the request ends.
     */
    @Test
    @Verifies(Promise.OUT_OF_STEP_IS_CLOSED)
    default void headerLine_thatIsMalformed_returns400AndCloses() {
        for (var line :
                List.of("Content-Length", ": 5", "Content-Length : 5", "Content Length: 5")) {
            var server = server();
            var key = Keys.unique();
            var connection = server.connect();
            connection.send(putHello(key, line)).receive().expectStatus(400);
            connection.expectClosed();
            server.get(key).expectStatus(404);
        }
    }

    @Test
    @Verifies(Promise.OUT_OF_STEP_IS_CLOSED)
    default void headers_tooMany_areRefused() {
        var flood = new StringBuilder("GET /v0/status HTTP/1.1\r\nHost: x\r\n");
        while (flood.length() < FLOOD_BYTES) {
            flood.append("X-Flood: x\r\n");
        }
        var connection = server().connect();
        connection.sendRaw(flood.append("\r\n").toString()).receive().expectStatus(400, 413, 431);
        connection.expectClosedOrInStep();
    }

    @Test
    @Verifies(Promise.OUT_OF_STEP_IS_CLOSED)
    default void header_withoutEnd_isRefusedAndClosed() {
        expectEndlessRefused(
                "GET /v0/status HTTP/1.1\r\nHost: x\r\nX-Flood: " + "x".repeat(FLOOD_BYTES));
    }

    @Test
    @Verifies(Promise.OUT_OF_STEP_IS_CLOSED)
    default void requestLine_withoutEnd_isRefusedAndClosed() {
        expectEndlessRefused("GET /v0/entity?id=" + "x".repeat(FLOOD_BYTES));
    }

    private void expectEndlessRefused(String endless) {
        var connection = server().connect();
        connection.sendRaw(endless).receive().expectStatus(400, 413, 414, 431);
        connection.expectClosed();
        server().status().expectStatus(200);
    }

    @Test
    @Verifies(Promise.OUT_OF_STEP_IS_CLOSED)
    default void garbage_ofAnyKind_isAnsweredOnceAndClosed() {
        for (var garbage :
                List.of(
                        "GARBAGE\r\n\r\n",
                        "GET\r\n\r\n",
                        "GET /v0/status\r\n\r\n",
                        "GET /v0/status HTTX/1.1\r\n\r\n",
                        "GET /v0/status HTTP/1.1 again\r\n\r\n",
                        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                        "\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003\u00ab\u00cd\r\n\r\n",
                        "<xml/>\r\n\r\nGET /v0/status HTTP/1.1\r\nHost: x\r\n\r\n")) {
            expectAnsweredAndClosed(server().connect().sendRaw(garbage));
        }
    }

    private static void expectAnsweredAndClosed(Connection connection) {
        connection.receive().expectStatus(400, 501, 505);
        connection.expectClosed();
    }
}
