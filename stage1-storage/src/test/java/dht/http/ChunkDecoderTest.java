package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkDecoderTest {
    private static final String NEXT_REQUEST = "GET /v0/status HTTP/1.1\r\n";

    /** What a decoder made of some bytes. */
    private record Decoded(String data, boolean isDone, int bytesTaken) {}

    /** Hands the decoder so many bytes at a time, as a socket could. */
    private static Decoded decode(String input, int stepBytes) throws RequestException {
        byte[] bytes = input.getBytes(ISO_8859_1);
        ChunkDecoder decoder = new ChunkDecoder();
        StringBuilder data = new StringBuilder();
        int at = 0;
        while (at < bytes.length && !decoder.isDone()) {
            int to = Math.min(bytes.length, at + stepBytes);
            int next = decoder.feed(bytes, at, to);
            assertThat(next).as("feed goes on").isGreaterThan(at).isLessThanOrEqualTo(to);
            if (decoder.dataLength() > 0) {
                assertThat(decoder.dataStart()).isGreaterThanOrEqualTo(at);
                assertThat(decoder.dataStart() + decoder.dataLength()).isLessThanOrEqualTo(next);
                data.append(
                        new String(bytes, decoder.dataStart(), decoder.dataLength(), ISO_8859_1));
            }
            at = next;
        }
        return new Decoded(data.toString(), decoder.isDone(), at);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 1000})
    void feed_anySplit_findsTheDataAndTheEnd(int stepBytes) throws RequestException {
        String body = "5\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\n\r\n";
        assertThat(decode(body + NEXT_REQUEST, stepBytes))
                .isEqualTo(new Decoded("hello world", true, body.length()));
    }

    @Test
    void feed_noChunks_isDoneWithoutData() throws RequestException {
        assertThat(decode("0\r\n\r\n" + NEXT_REQUEST, 1000)).isEqualTo(new Decoded("", true, 5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ab", "AB", "aB", "0ab", "000000ab"})
    void feed_sizeInHexadecimal_isTheNumberOfDataBytes(String size) throws RequestException {
        String data = "x".repeat(0xab);
        assertThat(decode(size + "\r\n" + data + "\r\n0\r\n\r\n", 7).data()).isEqualTo(data);
    }

    @Test
    void feed_dataThatLooksLikeChunks_isOnlyData() throws RequestException {
        assertThat(decode("7\r\n0\r\n\r\n\r\n\r\n0\r\n\r\n", 1000).data())
                .isEqualTo("0\r\n\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5;name=value\r\nhello\r\n0\r\n\r\n",
                "5;name=\"a;b\"\r\nhello\r\n0;last\r\n\r\n",
                "5 \t;name=value\r\nhello\r\n0\r\n\r\n",
                "5;\r\nhello\r\n0\r\n\r\n",
            })
    void feed_extensions_arePassedOver(String body) throws RequestException {
        assertThat(decode(body, 1)).isEqualTo(new Decoded("hello", true, body.length()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5\r\nhello\r\n0\r\nName: value\r\n\r\n",
                "5\r\nhello\r\n0\r\nA:\r\nB: a:b\tc\r\n\r\n",
            })
    void feed_trailers_arePassedOver(String body) throws RequestException {
        assertThat(decode(body, 1)).isEqualTo(new Decoded("hello", true, body.length()));
        assertThat(decode(body, 1000)).isEqualTo(new Decoded("hello", true, body.length()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5\r\nhel",
                "5\r\nhello\r\n",
                "5\r\nhello\r\n0\r\n",
                "5\r\nhello\r\n0\r\nName: value\r\n",
                "5\r\nhello\r\n0\r\n\r",
            })
    void feed_bodyThatGoesOn_isNotDone(String begun) throws RequestException {
        assertThat(decode(begun, 1000).isDone()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zz\r\n",
                "-5\r\n",
                "+5\r\n",
                "\r\n",
                " 5\r\n",
                ";name\r\n",
                "5 junk\r\n",
                "5\n",
                "5;name=value\n",
                "5\r\r\n",
                "5;\u0001\r\n",
            })
    void feed_malformedSizeLine_isRefused(String body) {
        assertRefused(body);
    }

    @ParameterizedTest
    @ValueSource(strings = {"5\r\nhelloXX", "5\r\nhello\n", "5\r\nhello\r\r", "5\r\nhello0\r\n"})
    void feed_dataOfAnotherLength_isRefused(String body) {
        assertRefused(body);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0\r\n\n",
                "0\r\nno colon\r\n",
                "0\r\n: nameless\r\n",
                "0\r\nName : value\r\n",
                "0\r\nName: value\n",
                "0\r\nName: nul\u0000\r\n",
                "0\r\n folded\r\n",
            })
    void feed_malformedTrailer_isRefused(String body) {
        assertRefused(body);
    }

    /** A size that does not fit would begin anew at 0, and data would be taken for chunks. */
    @ParameterizedTest
    @ValueSource(strings = {"100000005\r\nhello", "10000000000000005\r\nhello", "000000005\r\n"})
    void feed_sizeOfTooManyDigits_isRefused(String body) {
        assertRefused(body);
    }

    @Test
    void feed_greatestSize_isNotNegative() throws RequestException {
        assertThat(decode("ffffffff\r\nhello", 1000)).isEqualTo(new Decoded("hello", false, 15));
    }

    /** Nothing of them is kept, but a client could send them for ever. */
    @Test
    void feed_linesWithoutEnd_areRefused() {
        assertRefused("5;" + "x".repeat(5000));
        assertRefused("0\r\nName: " + "x".repeat(5000));
        assertRefused("0\r\n" + "Name: value\r\n".repeat(500));
    }

    @Test
    void feed_manyChunks_areNotTakenForOneLongLine() throws RequestException {
        String body = "1;name=value\r\nx\r\n".repeat(1000) + "0\r\n\r\n";
        assertThat(decode(body, 100)).isEqualTo(new Decoded("x".repeat(1000), true, body.length()));
    }

    private static void assertRefused(String body) {
        for (int stepBytes : new int[] {1, 2, 3, 10_000}) {
            assertThatThrownBy(() -> decode(body, stepBytes))
                    .as("%s, %d bytes at a time", body, stepBytes)
                    .isInstanceOf(RequestException.class);
        }
    }
}
