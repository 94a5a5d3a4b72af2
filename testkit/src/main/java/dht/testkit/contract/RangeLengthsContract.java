package dht.testkit.contract;

import dht.testkit.ServerUnderTest;
import dht.testkit.Values;
import dht.testkit.http.Response;
import dht.testkit.junit.Contract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The format of a range that contains the lengths of keys and values. Part of {@link
 * RangeContract}.
 */
public interface RangeLengthsContract extends Contract {
    String LENGTHS = "application/vnd.dht.entries";

    @Test
    @Verifies(Promise.RANGE_HAS_LENGTHS)
    default void range_ofKeysWithLineFeeds_isTakenApartByLengths() {
        var space = lineFeeds(server());
        var answer = ask(server(), space, "Accept: " + LENGTHS);
        answer.expectChunks(space.chunksWithLengths());
        expectMediaType(answer, LENGTHS);
    }

    private static KeySpace lineFeeds(ServerUnderTest server) {
        var space = new KeySpace(server);
        for (var text : List.of("", "\n", "\n\n", "a", "a\n", "a\nb", "b")) {
            space.put(text, Values.text(text));
        }
        return space;
    }

    @Test
    @Verifies(Promise.RANGE_HAS_LENGTHS)
    default void range_whoseAcceptNamesLengthsAmongOthers_hasLengths() {
        var space = lineFeeds(server());
        for (var accept :
                List.of(
                        "accept:application/vnd.dht.entries",
                        "Accept: text/html, " + LENGTHS,
                        "Accept: Application/VND.dht.Entries ; q=0.5,*/*;q=0.1")) {
            ask(server(), space, accept).expectChunks(space.chunksWithLengths());
        }
        server().ask(space.request().header("Accept: text/html").header("Accept: " + LENGTHS))
                .expectChunks(space.chunksWithLengths());
    }

    @Test
    @Verifies(Promise.RANGE_HAS_LENGTHS)
    default void range_whoseAcceptDoesNotNameLengths_isText() {
        var space = lineFeeds(server());
        for (var accept :
                List.of(
                        "Accept:",
                        "Accept: */*",
                        "Accept: application/*, ;",
                        "Accept: " + LENGTHS + ".other",
                        "Accept: " + LENGTHS + ";q=0",
                        "Accept: text/plain;format=" + LENGTHS)) {
            ask(server(), space, accept).expectChunks(space.chunks());
        }
        expectMediaType(space.range(), "application/octet-stream");
    }

    @Test
    @Verifies(Promise.RANGE_HAS_LENGTHS)
    default void rangeWithLengths_ofValuesOfAnySize_isOneChunkEach() {
        var space = new KeySpace(server());
        var sizes = List.of(0, 255, 256, (64 << 10) - 1050, 64 << 10, (1 << 20) + 1);
        sizes.forEach(size -> space.put("%08d".formatted(size), Values.ofSize(size)));
        ask(server(), space, "Accept: " + LENGTHS).expectChunks(space.chunksWithLengths());
    }

    private static Response ask(ServerUnderTest server, KeySpace space, String header) {
        return server.ask(space.request().header(header));
    }

    static void expectMediaType(Response answer, String expected) {
        var got = answer.header("Content-Type").orElse("none");
        if (!got.equals(expected)) {
            throw new Mismatch("Content-Type: " + expected, got);
        }
    }
}
