package dht.testkit.tiny;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An answer before it is sent. Immutable. */
record TinyAnswer(
        int status, List<String> headers, byte[] body, Optional<Map<String, byte[]>> entries) {
    static TinyAnswer of(int status, byte[] body) {
        return new TinyAnswer(status, List.of(), body, Optional.empty());
    }

    static TinyAnswer error(int status, String message) {
        return of(status, (message + "\n").getBytes(UTF_8))
                .header("Content-Type: text/plain; charset=utf-8");
    }

    static TinyAnswer range(Map<String, byte[]> entries) {
        return new TinyAnswer(
                200, List.of("Transfer-Encoding: chunked"), new byte[0], Optional.of(entries));
    }

    TinyAnswer header(String line) {
        var more = new ArrayList<>(headers);
        more.add(line);
        return new TinyAnswer(status, more, body, entries);
    }

    byte[] head() {
        var out = new StringBuilder("HTTP/1.1 %d Tiny\r\n".formatted(status));
        headers.forEach(line -> out.append(line).append("\r\n"));
        if (entries.isEmpty()) {
            out.append("Content-Length: ").append(body.length).append("\r\n");
        }
        return out.append("\r\n").toString().getBytes(ISO_8859_1);
    }

    static byte[] chunk(String key, byte[] value) {
        var data = new ByteArrayOutputStream();
        data.writeBytes((key + "\n").getBytes(UTF_8));
        data.writeBytes(value);
        return chunk(data.toByteArray());
    }

    static byte[] chunk(byte[] data) {
        var out = new ByteArrayOutputStream();
        out.writeBytes("%x\r\n".formatted(data.length).getBytes(ISO_8859_1));
        out.writeBytes(data);
        out.writeBytes("\r\n".getBytes(ISO_8859_1));
        return out.toByteArray();
    }
}
