package dht.testkit.transcript;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShellLineTest {
    private static final URI BASE = URI.create("http://127.0.0.1:12000");

    @Test
    void curl_ofGet_isShort() {
        assertThat(ShellLine.curl("GET", "", BASE, "/v0/entity?id=k", List.of(), null))
                .isEqualTo("curl -i 'http://127.0.0.1:12000/v0/entity?id=k'");
    }

    @Test
    void curl_ofPut_hasItsBodyAndHeaders() {
        assertThat(
                        ShellLine.curl(
                                "PUT",
                                "--http1.0",
                                BASE,
                                "/x",
                                List.of("Expect: it's"),
                                "value".getBytes(UTF_8)))
                .isEqualTo(
                        "curl -i -X PUT --http1.0 -H 'Expect: it'\\''s' --data-binary 'value' 'http://127.0.0.1:12000/x'");
    }

    @Test
    void curl_ofBinaryBody_pipesIt() {
        assertThat(ShellLine.curl("PUT", "", BASE, "/x", List.of(), new byte[] {0, -1, '@'}))
                .isEqualTo(
                        "printf '\\000\\377@' | curl -i -X PUT --data-binary @- 'http://127.0.0.1:12000/x'");
    }

    @Test
    void curl_ofLargeBody_namesItsSize() {
        assertThat(ShellLine.curl("PUT", "", BASE, "/x", List.of(), new byte[1000]))
                .contains("@FILE-OF-1000-BYTES");
    }

    @Test
    void curl_ofLongTarget_leavesItsMiddleOut() {
        var line = ShellLine.curl("GET", "", BASE, "/x" + "y".repeat(3000), List.of(), null);
        assertThat(line).hasSizeLessThan(300).contains("more)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\n\r\n",
                "100% 'quoted' \\ \"twice\" \\n",
                "\u0000\u0001\u00ff\u007f7",
                "%s%d%%"
            })
    void netcat_ofAnyBytes_printsThemExactly(String latin1) throws Exception {
        var bytes = latin1.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        var line = ShellLine.netcat(BASE, bytes);
        assertThat(line).endsWith(" | nc 127.0.0.1 12000");
        var printf = line.substring(0, line.lastIndexOf(" | nc"));
        var shell = new ProcessBuilder("/bin/sh", "-c", printf).start();
        assertThat(shell.getInputStream().readAllBytes()).isEqualTo(bytes);
    }

    @Test
    void netcat_ofManyBytes_isCut() {
        assertThat(ShellLine.netcat(BASE, new byte[10_000]))
                .hasSizeLessThan(1200)
                .contains("(and 9,760 bytes more)");
    }
}
