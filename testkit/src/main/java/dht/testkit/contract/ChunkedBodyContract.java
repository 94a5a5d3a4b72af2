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
 * Request bodies that are sent in chunks. A server stores the bytes of all chunks, ignores
 * extensions and trailers, and never reads a chunk as a request. Part of {@link
 * HostileInputContract}.
 */
public interface ChunkedBodyContract extends Contract {
    @Test
    @Verifies(Promise.MESSAGES_ARE_FRAMED)
    default void chunkedBody_ofAnyChunking_isStoredExactly() {
        for (var body :
                List.of(
                        "5\r\nhello\r\n0\r\n\r\n",
                        "1\r\nh\r\n4\r\nello\r\n0\r\n\r\n",
                        "0005\r\nhello\r\n000\r\n\r\n",
                        "5;name=value\r\nhello\r\n0\r\n\r\n",
                        "5\r\nhello\r\n0\r\nX-Trailer: x\r\n\r\n")) {
            expectStored(body, "hello");
        }
    }

    @Test
    @Verifies(Promise.MESSAGES_ARE_FRAMED)
    default void chunkedBody_ofNoBytes_isStored() {
        expectStored("0\r\n\r\n", "");
    }

    @Test
    @Verifies(Promise.MESSAGES_ARE_FRAMED)
    default void chunkedBody_withHexadecimalSize_isStoredExactly() {
        var value = "x".repeat(0xab);
        expectStored("ab\r\n" + value + "\r\n0\r\n\r\n", value);
        expectStored("AB\r\n" + value + "\r\n0\r\n\r\n", value);
    }

    @Test
    @Verifies(Promise.MESSAGES_ARE_FRAMED)
    default void chunkedBody_thatLooksLikeRequests_isOnlyABody() {
        var victim = Keys.unique();
        server().put(victim, Values.text("alive")).expectStatus(201);
        var deletion = "DELETE %s HTTP/1.1\r\nHost: x\r\n\r\n".formatted(Target.entity(victim));
        expectStored("%x\r\n%s\r\n0\r\n\r\n".formatted(deletion.length(), deletion), deletion);
        server().get(victim).expectValue(Values.text("alive"));
    }

    @Test
    @Verifies(Promise.OUT_OF_STEP_IS_CLOSED)
    default void chunkedBody_thatIsMalformed_isRefusedAndClosed() {
        for (var body :
                List.of(
                        "zz\r\nhello\r\n0\r\n\r\n",
                        "-5\r\nhello\r\n0\r\n\r\n",
                        "\r\nhello\r\n0\r\n\r\n",
                        "5\r\nhelloXX0\r\n\r\n",
                        "5 junk\r\nhello\r\n0\r\n\r\n",
                        "5\nhello\r\n0\r\n\r\n",
                        "5;name=value\nhello\r\n0\r\n\r\n",
                        "5\r\nhello\n0\r\n\r\n",
                        "5\r\nhello\r\r\n0\r\n\r\n",
                        "5\r\r\nhello\r\n0\r\n\r\n",
                        "5\r\nhello\r\n0\r\nno header\r\n\r\n",
                        "5\r\nhello\r\n0\r\n: nameless\r\n\r\n",
                        "5\r\nhello\r\n0\r\nName: value\n\r\n",
                        "5\r\nhello\r\n0\r\n\n",
                        "fffffffffffffffff\r\nhello")) {
            expectRefusedAndClosed("Transfer-Encoding: chunked", body);
        }
    }

    @Test
    @Verifies(Promise.OUT_OF_STEP_IS_CLOSED)
    default void transferEncoding_unknown_isRefusedAndClosed() {
        for (var coding : List.of("gzip", "xchunked", "chunked, gzip", "identity, xyz")) {
            expectRefusedAndClosed("Transfer-Encoding: " + coding, "5\r\nhello\r\n0\r\n\r\n");
        }
    }

    private void expectStored(String body, String value) {
        var server = server();
        var key = Keys.unique();
        var connection = server.connect();
        connection
                .send(chunked(key, "Transfer-Encoding: chunked", body))
                .receive()
                .expectStatus(201);
        connection.expectInStep();
        server.get(key).expectValue(Values.text(value));
    }

    private void expectRefusedAndClosed(String header, String body) {
        var server = server();
        var key = Keys.unique();
        var connection = server.connect();
        connection.send(chunked(key, header, body)).receive().expectStatus(400, 413, 501);
        connection.expectClosed();
        server.get(key).expectStatus(404);
    }

    private static Request chunked(String key, String header, String body) {
        return Request.of("PUT", Target.entity(key)).header(header).unframed(Values.text(body));
    }
}
