package dht.testkit.contract;

import dht.testkit.Values;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.Contract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * How a range is divided into chunks, and that the connection stays usable after it. Part of {@link
 * RangeContract}.
 */
public interface RangeFramingContract extends Contract {
    @Test
    @Verifies(Promise.RANGE_IS_CHUNKED)
    default void range_ofEmptyValue_isKeyAndNewline() {
        var space = new KeySpace(server());
        space.put("empty", new byte[0]);
        space.put("full", Values.small());
        space.range().expectChunks(space.chunks());
    }

    @Test
    @Verifies(Promise.RANGE_IS_CHUNKED)
    default void range_ofValuesThatLookLikeChunks_isExact() {
        var space = new KeySpace(server());
        for (var text :
                List.of("0\r\n\r\n", "\r\n", "5\r\nhello\r\n0\r\n\r\n", "\n", "a\nb", "\0")) {
            space.put(text, Values.text(text));
        }
        space.range().expectChunks(space.chunks());
    }

    @Test
    @Verifies(Promise.RANGE_IS_CHUNKED)
    default void range_ofLargeValues_isOneChunkEach() {
        var space = new KeySpace(server());
        for (var size : List.of(1 << 16, (1 << 20) + 1, 4 << 20)) {
            space.put(String.valueOf(size), Values.ofSize(size));
        }
        space.range().expectChunks(space.chunks());
        List.of(1 << 16, (1 << 20) + 1, 4 << 20)
                .forEach(size -> space.delete(String.valueOf(size)));
    }

    @Test
    @Verifies(Promise.RANGE_IS_CHUNKED)
    default void range_onKeptConnection_leavesItInStep() {
        var server = server();
        var space = KeySpace.filled(server, 20, Values.small());
        var connection = server.connect();
        for (var i = 0; i < 3; i++) {
            connection.send(space.request()).receive().expectChunks(space.chunks());
        }
        connection.expectInStep();
    }

    @Test
    @Verifies(Promise.ONE_RESPONSE_EACH)
    default void range_pipelined_isAnsweredInOrder() {
        var server = server();
        var space = KeySpace.filled(server, 50, Values.ofSize(10_000));
        var connection = server.connect();
        connection.sendPipelined(
                List.of(
                        space.request(),
                        Request.get(Target.STATUS),
                        space.request(),
                        Request.get(Target.ENTITIES)));
        connection.receive().expectChunks(space.chunks());
        connection.receive().expectStatus(200);
        connection.receive().expectChunks(space.chunks());
        connection.receive().expectStatus(400);
        connection.expectInStep();
    }
}
