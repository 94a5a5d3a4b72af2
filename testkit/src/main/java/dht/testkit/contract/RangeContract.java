package dht.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.http.Percent;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Preview;
import dht.testkit.transcript.Promise;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** {@code GET /v0/entities}: which entries a range contains, in which order and in which format. */
public interface RangeContract
        extends RangeFramingContract, RangeLengthsContract, RangeStreamingContract {
    @Test
    @Verifies(Promise.RANGE_IS_ORDERED)
    default void range_ofAnyKeys_isInOrderOfUnsignedBytes() {
        var space = new KeySpace(server());
        var shuffled = new ArrayList<>(suffixesInOrder());
        Collections.shuffle(shuffled, new Random(1));
        shuffled.forEach(suffix -> space.put(suffix, Values.text("value of " + suffix)));
        space.range().expectChunks(space.chunks());
    }

    /**
     * Suffixes of keys, in the order of their unsigned bytes. In the order of Java strings,
     * characters above U+FFFF would come before U+E000. In the order of signed bytes, characters
     * above U+007F would come first.
     */
    private static List<String> suffixesInOrder() {
        var ascii = "|\0|\0\0|\0a|\n| |!|0|A|a|a\0|a\n|aa|ab|b|~|\u007f";
        var others = "|\u0080|é|\u07ff|\u0800|\ud7ff|\ue000|\uffff|\ud800\udc00|\udbff\udfff";
        return List.of((ascii + others).split("\\|", -1));
    }

    @Test
    @Verifies(Promise.RANGE_IS_ORDERED)
    default void range_ofManyEntries_isComplete() {
        var space = KeySpace.filled(server(), 2000, Values.small());
        space.range().expectChunks(space.chunks());
    }

    @Test
    @Verifies(Promise.RANGE_IS_ORDERED)
    default void range_afterOverwrites_hasEachKeyOnce() {
        var space = KeySpace.filled(server(), 10, Values.small());
        for (var round = 0; round < 3; round++) {
            for (var i = 0; i < 10; i += 2) {
                space.put(KeySpace.numbered(i), Values.small());
            }
        }
        space.range().expectChunks(space.chunks());
    }

    @Test
    @Verifies(Promise.RANGE_IS_ORDERED)
    default void range_afterDeletes_hasOnlyLiveEntries() {
        var space = KeySpace.filled(server(), 10, Values.small());
        for (var i = 0; i < 10; i += 3) {
            space.delete(KeySpace.numbered(i)); // The first and the last are among them.
        }
        space.delete("never written");
        space.range().expectChunks(space.chunks());
        space.put(KeySpace.numbered(0), Values.small());
        space.range().expectChunks(space.chunks());
    }

    @Test
    @Verifies(Promise.RANGE_IS_HALF_OPEN)
    default void range_betweenAnyBounds_isHalfOpen() {
        var space = new KeySpace(server());
        List.of("b", "d", "f").forEach(suffix -> space.put(suffix, Values.small()));
        var bounds = List.of("a", "b", "b\0", "c", "d", "e", "f", "f\0", "g");
        for (var start = 0; start < bounds.size(); start++) {
            for (var end = start; end < bounds.size(); end++) {
                space.range(bounds.get(start), bounds.get(end))
                        .expectChunks(space.chunks(bounds.get(start), bounds.get(end)));
            }
        }
    }

    @Test
    @Verifies(Promise.RANGE_IS_HALF_OPEN)
    default void range_withEndAtOrBeforeStart_isEmpty() {
        var space = new KeySpace(server());
        List.of("b", "d", "f").forEach(suffix -> space.put(suffix, Values.small()));
        for (var end : List.of("d", "c", "b", "a")) {
            space.range("d", end).expectValue(new byte[0]);
        }
    }

    @Test
    @Verifies(Promise.RANGE_IS_HALF_OPEN)
    default void range_ofNothing_is200WithoutBytes() {
        var space = new KeySpace(server());
        space.range().expectValue(new byte[0]);
        space.put("deleted", Values.small());
        space.delete("deleted");
        space.range().expectValue(new byte[0]);
    }

    @Test
    @Verifies(Promise.RANGE_IS_HALF_OPEN)
    default void range_withoutEnd_runsToTheLastKey() {
        // Keys that begin with the last character of Unicode: only this test writes such keys.
        var space = new KeySpace(server(), "\udbff\udfff" + Keys.unique());
        List.of("a", "b", "c", "\udbff\udfff").forEach(suffix -> space.put(suffix, Values.small()));
        var start = space.key("b");
        var all = server().ask(Request.get(Target.entities(start))).expectStatus(200).chunks();
        all.forEach(chunk -> expectFrom(start, chunk));
        var prefix = space.key("").getBytes(UTF_8);
        var own =
                all.stream()
                        .filter(chunk -> Arrays.mismatch(prefix, chunk) == prefix.length)
                        .toList();
        var expected = space.chunks().subList(1, 4);
        if (!Arrays.deepEquals(expected.toArray(), own.toArray())) {
            throw new Mismatch(
                    "the entries b, c and U+10FFFF",
                    own.stream().map(Preview::of).toList().toString());
        }
    }

    private static void expectFrom(String start, byte[] chunk) {
        if (Arrays.compareUnsigned(start.getBytes(UTF_8), chunk) > 0) {
            throw new Mismatch(
                    "only entries from " + Preview.of(start.getBytes(UTF_8)) + " on",
                    Preview.of(chunk));
        }
    }

    @Test
    @Verifies(Promise.KEYS_ARE_DECODED_BYTES)
    default void range_withPlusInItsBounds_keepsThePlus() {
        var server = server();
        var space = new KeySpace(server);
        List.of(" ", "*", "+", ",").forEach(suffix -> space.put(suffix, Values.small()));
        var prefix = Percent.encode(space.key(""));
        server.ask(Request.get(Target.ENTITIES + "?start=" + prefix + "+&end=" + prefix + ","))
                .expectChunks(space.chunks("+", ","));
    }

    @Test
    @Verifies(Promise.KEYS_ARE_DECODED_BYTES)
    default void range_withParametersInAnyOrder_isTheSame() {
        var server = server();
        var space = new KeySpace(server);
        List.of("a", "b", "c").forEach(suffix -> space.put(suffix, Values.small()));
        var start = "start=" + Percent.encode(space.key("a"));
        var end = "end=" + Percent.encode(space.key("c"));
        for (var query : List.of(end + "&" + start, "restart=z&" + start + "&bend=y&" + end)) {
            server.ask(Request.get(Target.ENTITIES + "?" + query))
                    .expectChunks(space.chunks("a", "c"));
        }
    }

    @Test
    @Verifies(Promise.BAD_KEYS_ARE_400)
    default void range_withBadStart_returns400() {
        var bad =
                new ArrayList<>(
                        List.of(
                                "",
                                "?",
                                "?end=b",
                                "?start=",
                                "?start=&end=b",
                                "?astart=a",
                                "?Start=a"));
        bad.add("?start=" + Keys.ofLength(Keys.BYTES_MAX + 1));
        KeySyntaxContract.MALFORMED_PERCENT.forEach(text -> bad.add("?start=" + text));
        KeySyntaxContract.MALFORMED_UTF_8.forEach(text -> bad.add("?start=" + text));
        expectRefused(bad);
    }

    @Test
    @Verifies(Promise.BAD_KEYS_ARE_400)
    default void range_withBadEnd_returns400() {
        var bad = new ArrayList<String>();
        bad.add("?start=a&end=" + Keys.ofLength(Keys.BYTES_MAX + 1));
        KeySyntaxContract.MALFORMED_PERCENT.forEach(text -> bad.add("?start=a&end=" + text));
        KeySyntaxContract.MALFORMED_UTF_8.forEach(text -> bad.add("?start=a&end=" + text));
        expectRefused(bad);
    }

    private void expectRefused(List<String> queries) {
        var connection = server().connect();
        queries.forEach(
                query ->
                        connection
                                .send(Request.get(Target.ENTITIES + query))
                                .receive()
                                .expectStatus(400));
        connection.expectInStep();
    }
}
