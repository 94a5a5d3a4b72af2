package dht.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ResponseTest {
    private static String encode(Response response, Persistence persistence, boolean withBody) {
        return new String(response.encode(persistence, withBody), UTF_8);
    }

    @Test
    void encode_line_isPlainTextWithItsLength() {
        assertThat(
                        encode(
                                Response.of(Status.BAD_REQUEST, "id: missing"),
                                Persistence.IMPLIED,
                                true))
                .isEqualTo(
                        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
                                + "Content-Length: 11\r\n\r\nid: missing");
    }

    @Test
    void encode_toHead_hasTheLengthButNoBody() {
        Response response = Response.withHeader(Status.METHOD_NOT_ALLOWED, "Allow: GET", "no");
        assertThat(encode(response, Persistence.IMPLIED, false))
                .contains("Allow: GET\r\n", "Content-Length: 2\r\n")
                .endsWith("\r\n\r\n");
    }

    @Test
    void encode_again_isTheSame() {
        Response response = Response.of(Status.CREATED);
        String first = encode(response, Persistence.CLOSE, true);
        assertThat(first)
                .isEqualTo(
                        "HTTP/1.1 201 Created\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        assertThat(encode(response, Persistence.CLOSE, true)).isEqualTo(first);
    }

    @Test
    void unavailable_tellsWhenToTryAgain() {
        assertThat(encode(Response.unavailable("full"), Persistence.IMPLIED, true))
                .contains("Retry-After: 1\r\n");
    }
}
