package dht.benchmarks.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseParserTest {
    private final ResponseParser parser = new ResponseParser();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\ncontent-length:3\r\nConnection: Keep-Alive\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\nContent-Length: 1\n\nx",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1a;x=y\r\n"
                        + "abcdefghijklmnopqrstuvwxyz\r\n0\r\nTrailer: x\r\n\r\n",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\n"
            })
    void feed_inPiecesOfAnySize_endsWithTheResponse(String text) throws IOException {
        byte[] bytes = (text + "NEXT").getBytes(ISO_8859_1);
        for (int size = 1; size <= bytes.length; size++) {
            parser.reset();
            int at = 0;
            while (!parser.isDone()) {
                at = parser.feed(bytes, at, Math.min(at + size, bytes.length));
            }
            assertThat(at).as("pieces of %d", size).isEqualTo(text.length());
            assertThat(parser.status()).isEqualTo(200);
            assertThat(parser.isKeepAlive()).isTrue();
        }
    }

    @Test
    void feed_withoutABody_endsWithTheHead() throws IOException {
        feed("HTTP/1.1 204 No Content\r\n\r\n");
        assertThat(parser.isDone()).isTrue();
        assertThat(parser.status()).isEqualTo(204);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.0 503 Busy\r\nContent-Length: 0\r\n\r\n"
            })
    void feed_ofALastResponse_isNotKeptAlive(String text) throws IOException {
        feed(text);
        assertThat(parser.isDone()).isTrue();
        assertThat(parser.isKeepAlive()).isFalse();
    }

    @Test
    void feed_withoutALength_endsWithTheConnection() throws IOException {
        feed("HTTP/1.1 200 OK\r\n\r\nabc");
        assertThat(parser.isDone()).isFalse();
        parser.feedEnd();
        assertThat(parser.isDone()).isTrue();
        assertThat(parser.isKeepAlive()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SMTP ready for you\r\n",
                "HTTP/1.1 abc\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"
            })
    void feed_ofWhatIsNotHttp_isRefused(String text) {
        assertThatThrownBy(() -> feed(text)).isInstanceOf(IOException.class);
    }

    private void feed(String text) throws IOException {
        parser.reset();
        parser.feed(text.getBytes(ISO_8859_1), 0, text.length());
    }
}
