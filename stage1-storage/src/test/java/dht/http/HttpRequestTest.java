package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpRequestTest {
    private static HttpRequest request(String target, String... headers) throws RequestException {
        String head =
                "GET "
                        + target
                        + " HTTP/1.1\r\n"
                        + String.join("\r\n", headers)
                        + (headers.length == 0 ? "\r\n" : "\r\n\r\n");
        HttpOptions options =
                new HttpOptions(
                        1,
                        1,
                        1 << 14,
                        100,
                        0,
                        0,
                        1,
                        Duration.ZERO,
                        Duration.ZERO,
                        0,
                        Duration.ZERO,
                        Duration.ZERO);
        return new HeadParser(head.getBytes(ISO_8859_1), options).parse();
    }

    private static String id(String query) throws RequestException {
        byte[] id = request("/v0/entity" + query).parameter("id");
        return id == null ? null : new String(id, UTF_8);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "null",
            value = {
                "?id=a, a",
                "?id=, ''",
                "?id, ''",
                "?, null",
                "'', null",
                "?ids=a, null",
                "?i=a, null",
                "?x=id=y&id=b, b",
                "?&&id=c&, c",
                "?id=a=b, a=b",
                "?id=a+b, a+b",
                "?id=a%2Bb%26c%3d%25, a+b&c=%",
                "?id=%D0%BA%D0%BB%D1%8E%D1%87, ключ",
                "?id=%F0%9F%94%91, 🔑",
            })
    void parameter_wellFormed_isDecoded(String query, String expected) throws RequestException {
        assertThat(id(query)).isEqualTo(expected);
    }

    @Test
    void parameter_rawUtf8_isTaken() throws RequestException {
        String raw = new String("ключ".getBytes(UTF_8), ISO_8859_1);
        assertThat(id("?id=" + raw)).isEqualTo("ключ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "?id=%",
                "?id=a%",
                "?id=%2",
                "?id=%zz",
                "?id=%2&b=0",
                "?id=%-1", // malformed escapes
                "?id=%ff",
                "?id=%c3",
                "?id=%c3%28",
                "?id=%80", // malformed UTF-8
                "?id=%c0%80",
                "?id=%e0%80%80", // overlong
                "?id=%ed%a0%80",
                "?id=%f4%90%80%80", // surrogate, beyond Unicode
                "?id=a&id=b", // ambiguous
            })
    void parameter_malformed_is400(String query) {
        Status status = null;
        try {
            id(query);
        } catch (RequestException e) {
            status = e.response().status();
        }
        assertThat(status).isEqualTo(Status.BAD_REQUEST);
    }

    @Test
    void path_absoluteForm_isThePathOnly() throws RequestException {
        assertThat(request("http://host:8080/v0/status").path()).isEqualTo("/v0/status");
        assertThat(request("http://host").path()).isEmpty();
        assertThat(request("/v0/status?x").path()).isEqualTo("/v0/status");
        assertThat(request("*").path()).isEqualTo("*");
    }

    @Test
    void header_anyCase_isFoundAndTrimmed() throws RequestException {
        HttpRequest request =
                request("/", "Host: here", "x-STAMP: \t 17 ", "X-Stamp: 18", "Empty:");
        assertThat(request.header("X-Stamp")).isEqualTo("17");
        assertThat(request.header("host")).isEqualTo("here");
        assertThat(request.header("empty")).isEmpty();
        assertThat(request.header("Hos")).isNull();
    }
}
