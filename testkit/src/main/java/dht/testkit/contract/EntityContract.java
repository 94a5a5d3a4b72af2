package dht.testkit.contract;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * {@code /v0/entity}: reading, writing and deleting one key, by one client or by several at once.
 */
public interface EntityContract extends ConcurrencyContract {
    @Test
    @Verifies(Promise.ABSENT_IS_404)
    default void get_ofKeyNeverWritten_returns404() {
        server().get(Keys.unique()).expectStatus(404);
    }

    @Test
    @Verifies(Promise.WRITTEN_IS_READ)
    default void put_ofNewKey_returns201AndIsRead() {
        var key = Keys.unique();
        var value = Values.small();
        var server = server();
        server.put(key, value).expectStatus(201);
        server.get(key).expectValue(value);
    }

    @Test
    @Verifies(Promise.WRITTEN_IS_READ)
    default void put_ofKnownKey_replacesTheValue() {
        var key = Keys.unique();
        var server = server();
        for (var value : List.of(Values.ofSize(5000), Values.small(), Values.ofSize(700))) {
            server.put(key, value).expectStatus(201);
            server.get(key).expectValue(value);
        }
    }

    @Test
    @Verifies(Promise.WRITTEN_IS_READ)
    default void put_onOneConnection_isReadOnAnother() {
        var key = Keys.unique();
        var reader = server().connect();
        var writer = server().connect();
        for (var i = 0; i < 50; i++) {
            var value = Values.small();
            writer.send(Request.put(Target.entity(key), value)).receive().expectStatus(201);
            reader.send(Request.get(Target.entity(key))).receive().expectValue(value);
        }
    }

    @Test
    @Verifies(Promise.DELETE_IS_202)
    default void delete_ofKnownKey_returns202AndItIsGone() {
        var key = Keys.unique();
        var server = server();
        server.put(key, Values.small()).expectStatus(201);
        server.delete(key).expectStatus(202);
        server.get(key).expectStatus(404);
    }

    @Test
    @Verifies(Promise.DELETE_IS_202)
    default void delete_ofUnknownKey_returns202() {
        var key = Keys.unique();
        var server = server();
        server.delete(key).expectStatus(202);
        server.delete(key).expectStatus(202);
        server.get(key).expectStatus(404);
    }

    @Test
    @Verifies(Promise.WRITTEN_IS_READ)
    default void put_afterDelete_isReadAgain() {
        var key = Keys.unique();
        var value = Values.small();
        var server = server();
        server.put(key, Values.small()).expectStatus(201);
        server.delete(key).expectStatus(202);
        server.put(key, value).expectStatus(201);
        server.get(key).expectValue(value);
    }

    @Test
    @Verifies(Promise.WRITTEN_IS_READ)
    default void write_ofOneKey_leavesItsNeighbours() {
        var key = Keys.unique();
        var value = Values.small();
        var server = server();
        var neighbours =
                List.of(
                        key + "a",
                        key + "/",
                        key + "\u0000",
                        key.substring(0, key.length() - 1) + "~");
        server.put(key, value).expectStatus(201);
        for (var neighbour : neighbours) {
            server.put(neighbour, Values.small()).expectStatus(201);
            server.delete(neighbour).expectStatus(202);
        }
        server.get(key).expectValue(value);
        server.delete(key).expectStatus(202);
        neighbours.forEach(neighbour -> server.get(neighbour).expectStatus(404));
    }

    @Test
    @Verifies(Promise.VALUES_ARE_ANY_BYTES)
    default void put_ofEmptyValue_isReadAs200() {
        var key = Keys.unique();
        var server = server();
        server.put(key, new byte[0]).expectStatus(201);
        server.get(key).expectValue(new byte[0]);
    }

    @Test
    @Verifies(Promise.VALUES_ARE_ANY_BYTES)
    default void put_ofEmptyValueOverAnother_isReadAs200() {
        var key = Keys.unique();
        var server = server();
        server.put(key, Values.small()).expectStatus(201);
        server.put(key, new byte[0]).expectStatus(201);
        server.get(key).expectValue(new byte[0]);
    }

    @Test
    @Verifies(Promise.VALUES_ARE_ANY_BYTES)
    default void put_ofEveryByte_isReadExactly() {
        var key = Keys.unique();
        var everyByte = new byte[256];
        for (var i = 0; i < everyByte.length; i++) {
            everyByte[i] = (byte) i;
        }
        var server = server();
        server.put(key, everyByte).expectStatus(201);
        server.get(key).expectValue(everyByte);
    }

    @Test
    @Verifies(Promise.VALUES_ARE_ANY_BYTES)
    default void put_ofValueThatLooksLikeHttp_isReadExactly() {
        var server = server();
        for (var text :
                List.of(
                        "HTTP/1.1 404 Not Found\r\n\r\n",
                        "\r\n\r\n",
                        "0\r\n\r\n",
                        "5\r\nhello\r\n0\r\n\r\n",
                        "\n",
                        " ")) {
            var key = Keys.unique();
            server.put(key, Values.text(text)).expectStatus(201);
            server.get(key).expectValue(Values.text(text));
        }
    }

    @Test
    @Verifies(Promise.VALUES_ARE_ANY_BYTES)
    default void put_ofSizesAroundPowersOfTwo_isReadExactly() {
        var server = server();
        for (var bits = 0; bits <= 20; bits += bits < 8 ? 4 : 1) {
            for (var size = (1 << bits) - 1; size <= (1 << bits) + 1; size++) {
                var key = Keys.unique();
                var value = Values.ofSize(size);
                server.put(key, value).expectStatus(201);
                server.get(key).expectValue(value);
                server.delete(key).expectStatus(202);
            }
        }
    }

    @Test
    @Verifies(Promise.VALUES_ARE_ANY_BYTES)
    default void put_ofLargestValue_isReadExactly() {
        var key = Keys.unique();
        var value = Values.ofSize(Values.BYTES_MAX);
        var server = server();
        server.put(key, value).expectStatus(201);
        server.get(key).expectValue(value);
        server.delete(key).expectStatus(202);
    }

    @Test
    @Verifies(Promise.TOO_LARGE_IS_413)
    default void put_ofTooLargeValue_returns413AndStoresNothing() {
        var key = Keys.unique();
        var server = server();
        var connection = server.connect();
        connection
                .send(Request.put(Target.entity(key), new byte[Values.BYTES_MAX + 1]))
                .receive()
                .expectStatus(413);
        connection.expectClosed();
        server.get(key).expectStatus(404);
    }

    @Test
    @Verifies(Promise.TOO_LARGE_IS_413)
    default void put_ofTooLargeValue_keepsTheOldOne() {
        var key = Keys.unique();
        var old = Values.small();
        var server = server();
        server.put(key, old).expectStatus(201);
        var connection = server.connect();
        connection
                .send(Request.put(Target.entity(key), new byte[Values.BYTES_MAX + 1]))
                .receive()
                .expectStatus(413);
        connection.expectClosed();
        server.get(key).expectValue(old);
    }

    @Test
    @Verifies(Promise.TOO_LARGE_IS_413)
    default void put_ofAnnouncedSizeBeyondInt_returns413() {
        var server = server();
        // 2^31, 2^32 + 5 and 2^63 - 1: narrowed to 32 bits, they would be negative, 5 and -1.
        for (var length : List.of("2147483648", "4294967301", "9223372036854775807")) {
            var key = Keys.unique();
            var connection = server.connect();
            connection
                    .send(
                            Request.of("PUT", Target.entity(key))
                                    .header("Content-Length: " + length)
                                    .unframed(Values.text("hello")))
                    .receive()
                    .expectStatus(413);
            connection.expectClosed();
            server.get(key).expectStatus(404);
        }
    }
}
