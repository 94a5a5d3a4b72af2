package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkDecoderTest {
    /** As in the comment of the class. */
    private static final int LINE_BYTES_MAX = 4096;

    /** So many bytes are handed over at a time. */
    private static final int[] STEPS = {1, 2, 3, 10_000};

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

    /** Each of these ends with its first wrong byte, as in the tests below. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "z",
                "-",
                "+",
                "\r",
                " ",
                ";",
                "5 j",
                "5 \r",
                "5\t\r",
                "5\n",
                "5;name=value\n",
                "5;a\rb",
                "5\r\r",
                "5;\u0001",
            })
    void feed_malformedSizeLine_isRefused(String body) {
        assertRefused(body);
    }

    @ParameterizedTest
    @ValueSource(strings = {"5\r\nhelloX", "5\r\nhello\n", "5\r\nhello\r\r", "5\r\nhello0"})
    void feed_dataOfAnotherLength_isRefused(String body) {
        assertRefused(body);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0\r\n\n",
                "0\r\n\rX",
                "0\r\nNocolon\r",
                "0\r\n:",
                "0\r\nName ",
                "0\r\nName: value\n",
                "0\r\nName: a\rb",
                "0\r\nName: nul\u0000",
                "0\r\n ",
            })
    void feed_malformedTrailer_isRefused(String body) {
        assertRefused(body);
    }

    /** A size that does not fit would begin anew at 0, and data would be taken for chunks. */
    @ParameterizedTest
    @ValueSource(strings = {"100000005", "000000005", "fffffffff"})
    void feed_sizeOfTooManyDigits_isRefused(String body) {
        assertRefused(body);
    }

    @Test
    void feed_greatestSize_isNotNegative() throws RequestException {
        assertThat(decode("ffffffff\r\nhello", 1000)).isEqualTo(new Decoded("hello", false, 15));
    }

    /** The limit includes the line ends; that of the trailers also the empty line. */
    @Test
    void feed_longestLines_areAccepted() throws RequestException {
        String extension = "x".repeat(LINE_BYTES_MAX - "5;\r\n".length());
        String value = "x".repeat(LINE_BYTES_MAX - "Name:\r\n\r\n".length());
        String body = "5;" + extension + "\r\nhello\r\n0\r\nName:" + value + "\r\n\r\n";

        for (int stepBytes : STEPS) {
            assertThat(decode(body, stepBytes))
                    .isEqualTo(new Decoded("hello", true, body.length()));
        }
    }

    /** Nothing of them is kept, but a client could send them for ever. */
    @Test
    void feed_linesThatAreOneByteTooLong_areRefused() {
        String tooLong = "x".repeat(LINE_BYTES_MAX);
        assertRefused(("5;" + tooLong).substring(0, LINE_BYTES_MAX + 1));
        assertRefused("5;" + tooLong.substring("5;\r".length()) + "\r\n");
        assertRefused("0\r\n" + ("Name:" + tooLong).substring(0, LINE_BYTES_MAX + 1));
        assertRefused("0\r\nName:" + tooLong.substring("Name:\r\n\r".length()) + "\r\n\r\n");
    }

    @Test
    void feed_tooManyTrailers_areRefused() {
        assertRefused("0\r\n" + "Name: value\r\n".repeat(500).substring(0, LINE_BYTES_MAX + 1));
    }

    @Test
    void feed_manyChunks_areNotTakenForOneLongLine() throws RequestException {
        String body = "1;name=value\r\nx\r\n".repeat(1000) + "0\r\n\r\n";
        assertThat(decode(body, 100)).isEqualTo(new Decoded("x".repeat(1000), true, body.length()));
    }

    /** At its last byte, and not before. */
    private static void assertRefused(String body) {
        for (int stepBytes : STEPS) {
            String about = "%s, %d bytes at a time".formatted(shortened(body), stepBytes);
            assertThatThrownBy(() -> decode(body, stepBytes))
                    .as("%s", about)
                    .isInstanceOf(RequestException.class);
            assertThatCode(() -> decode(body.substring(0, body.length() - 1), stepBytes))
                    .as("%s, without the last byte", about)
                    .doesNotThrowAnyException();
        }
    }

    private static String shortened(String body) {
        return body.length() < 80
                ? body
                : body.substring(0, 20) + "... of %d bytes".formatted(body.length());
    }
}
