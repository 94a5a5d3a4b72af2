package dht.testkit.contract;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dht.testkit.Keys;
import dht.testkit.Values;
import dht.testkit.http.Percent;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.junit.Contract;
import dht.testkit.junit.Verifies;
import dht.testkit.transcript.Promise;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * How the parameter {@code id} is decoded into a key, and which ids are refused. Part of {@link
 * HostileInputContract}.
 */
public interface KeySyntaxContract extends Contract {
    /**
     * Malformed escapes that a careless parser accepts. Some have signs, which parsers of numbers
     * accept.
     */
    List<String> MALFORMED_PERCENT = words("% a% %4 a%4 %zz %4g %g4 %+1 %-1 %%41 %0x41 %u0041");

    /**
     * Malformed UTF-8: lone and incomplete sequences, overlong forms, surrogates, and numbers above
     * Unicode's last.
     */
    List<String> MALFORMED_UTF_8 =
            words(
                    "%80 %BF %FF %FE a%C3 %C3%28 %E2%82 %E2%28%A1 %F0%9F%92 %F0%28%8C%BC "
                            + "%C0%80 %C0%AF %C1%BF %E0%80%AF %E0%9F%BF %F0%80%80%AF %F0%8F%BF%BF "
                            + "%ED%A0%80 %ED%BF%BF %ED%A0%BD%ED%B2%A9 "
                            + "%F4%90%80%80 %F5%80%80%80 %F8%88%80%80%80");

    private static List<String> words(String text) {
        return List.of(text.split(" ", -1));
    }

    @Test
    @Verifies(Promise.KEYS_ARE_DECODED_BYTES)
    default void id_percentEncodedInAnyWay_isTheSameKey() {
        var server = server();
        var key = Keys.unique() + "/é";
        var value = Values.small();
        server.put(key, value).expectStatus(201);
        var everyByte = Percent.encodeAll(key);
        for (var encoded : List.of(everyByte, everyByte.toLowerCase(Locale.ROOT))) {
            server.ask(Request.get(Target.ENTITY + "?id=" + encoded)).expectValue(value);
        }
    }

    @Test
    @Verifies(Promise.KEYS_ARE_DECODED_BYTES)
    default void id_withPlus_keepsThePlus() {
        var server = server();
        var key = Keys.unique();
        var value = Values.small();
        server.ask(Request.put(Target.ENTITY + "?id=" + key + "+x", value)).expectStatus(201);
        server.get(key + "+x").expectValue(value);
        server.get(key + " x").expectStatus(404);
    }

    @Test
    @Verifies(Promise.KEYS_ARE_DECODED_BYTES)
    default void id_withEncodedPercent_isDecodedOnce() {
        var server = server();
        var key = Keys.unique();
        var value = Values.small();
        server.put(key + "%41", value).expectStatus(201);
        server.get(key + "A").expectStatus(404);
        server.get(key + "%41").expectValue(value);
    }

    @Test
    @Verifies(Promise.KEYS_ARE_DECODED_BYTES)
    default void id_ofAnyScript_isReadBack() {
        expectDistinct(
                words("ключ 鍵 مفتاح 🔑 e\u0301 é \u00ff \u0080 \u07ff \u0800 \ufffd \uffff"));
        expectDistinct(List.of("\ud800\udc00", "\udbff\udfff"));
    }

    @Test
    @Verifies(Promise.KEYS_ARE_DECODED_BYTES)
    default void id_ofReservedCharacters_isReadBack() {
        expectDistinct(words("a&b a=b a?b a/b a#b a%b a;b a:b a@b a+b ../a a\\b"));
        expectDistinct(words("a\"b a'b <a> {a} [a] a|b a^b a`b a,b a$b a!b a*b (a)"));
        expectDistinct(List.of("a b", " a", "a ", " "));
    }

    @Test
    @Verifies(Promise.KEYS_ARE_DECODED_BYTES)
    default void id_ofControlCharacters_isReadBack() {
        expectDistinct(
                List.of("a\0b", "a\0", "a\nb", "a\r\nb", "a\tb", "a\u001bb", "a\u007fb", "a"));
    }

    /**
     * Checks that each suffix makes a different key: stores a value under each, and reads each
     * back.
     */
    private void expectDistinct(List<String> suffixes) {
        var server = server();
        var prefix = Keys.unique();
        for (var suffix : suffixes) {
            server.put(prefix + suffix, Values.text("value of " + suffix)).expectStatus(201);
        }
        for (var suffix : suffixes) {
            server.get(prefix + suffix).expectValue(Values.text("value of " + suffix));
        }
    }

    @Test
    @Verifies(Promise.KEYS_ARE_DECODED_BYTES)
    default void id_withReservedCharactersAsTheyAre_isTheSameKey() {
        var server = server();
        var key = Keys.unique() + "=b/c?d:e@f";
        var value = Values.small();
        server.ask(Request.put(Target.ENTITY + "?id=" + key, value)).expectStatus(201);
        server.get(key).expectValue(value);
    }

    @Test
    @Verifies(Promise.KEYS_ARE_DECODED_BYTES)
    default void id_amongOtherParameters_isFound() {
        var server = server();
        var key = Keys.unique();
        var value = Values.small();
        server.put(key, value).expectStatus(201);
        for (var query :
                List.of("?xid=no&id=" + key, "?id=" + key + "&idx=no", "?x&id=" + key + "&y=")) {
            server.ask(Request.get(Target.ENTITY + query)).expectValue(value);
        }
    }

    @Test
    @Verifies(Promise.KEYS_ARE_DECODED_BYTES)
    default void id_ofRawUtf8_isTheSameKeyOrRefused() {
        var server = server();
        var key = Keys.unique() + "é";
        var value = Values.small();
        var raw = new String(key.getBytes(UTF_8), ISO_8859_1); // Each char is sent as one byte.
        var answer =
                server.ask(Request.put(Target.ENTITY + "?id=" + raw, value)).expectStatus(201, 400);
        if (answer.status() == 201) {
            server.get(key).expectValue(value);
        } else {
            server.get(key).expectStatus(404);
        }
    }

    @Test
    @Verifies(Promise.KEYS_ARE_1_TO_1024_BYTES)
    default void id_of1024Bytes_isAKey() {
        var server = server();
        for (var key :
                List.of(
                        Keys.ofLength(Keys.BYTES_MAX),
                        Keys.ofLength(Keys.BYTES_MAX - 400) + "🔑".repeat(100))) {
            for (var encoded : List.of(Percent.encode(key), Percent.encodeAll(key))) {
                var value = Values.small();
                server.ask(Request.put(Target.ENTITY + "?id=" + encoded, value)).expectStatus(201);
                server.get(key).expectValue(value);
            }
        }
    }

    @Test
    @Verifies(Promise.KEYS_ARE_1_TO_1024_BYTES)
    default void id_of1Byte_isAKey() {
        var server = freshServer();
        var value = Values.small();
        for (var key : List.of("a", "\0", "\u007f", "%")) {
            server.put(key, value).expectStatus(201);
            server.get(key).expectValue(value);
        }
    }

    @Test
    @Verifies(Promise.KEYS_ARE_1_TO_1024_BYTES)
    default void id_of1025Bytes_returns400() {
        var ascii = Keys.ofLength(Keys.BYTES_MAX + 1);
        var wide = Keys.ofLength(Keys.BYTES_MAX + 1 - 400) + "🔑".repeat(100);
        expectRefused(
                List.of(
                        "?id=" + ascii,
                        "?id=" + Percent.encodeAll(ascii),
                        "?id=" + Percent.encode(wide),
                        "?id=" + Percent.encodeAll(wide)));
    }

    @Test
    @Verifies(Promise.BAD_KEYS_ARE_400)
    default void id_missing_returns400() {
        expectRefused(List.of("", "?", "?id", "?key=a", "?xid=a", "?idx=a", "?ID=a", "?x=id=a"));
    }

    @Test
    @Verifies(Promise.BAD_KEYS_ARE_400)
    default void id_empty_returns400() {
        expectRefused(List.of("?id=", "?id=&x=a", "?x=a&id="));
    }

    /** Two parties could otherwise take the request as one about different keys. */
    @Test
    @Verifies(Promise.BAD_KEYS_ARE_400)
    default void id_givenTwice_returns400() {
        expectRefused(List.of("?id=a&id=b", "?id=a&id=a", "?id=a&x=y&id=", "?id&id=a"));
    }

    @Test
    @Verifies(Promise.BAD_KEYS_ARE_400)
    default void id_ofMalformedPercentEncoding_returns400() {
        expectRefused(MALFORMED_PERCENT.stream().map("?id="::concat).toList());
    }

    @Test
    @Verifies(Promise.BAD_KEYS_ARE_400)
    default void id_ofMalformedUtf8_returns400() {
        expectRefused(MALFORMED_UTF_8.stream().map("?id="::concat).toList());
    }

    /**
     * Checks that each method refuses each query with 400, on one connection, which must stay
     * usable.
     */
    private void expectRefused(List<String> queries) {
        var connection = server().connect();
        for (var query : queries) {
            var target = Target.ENTITY + query;
            for (var request :
                    List.of(
                            Request.get(target),
                            Request.put(target, Values.small()),
                            Request.delete(target))) {
                connection.send(request).receive().expectStatus(400);
            }
        }
        connection.expectInStep();
    }
}
