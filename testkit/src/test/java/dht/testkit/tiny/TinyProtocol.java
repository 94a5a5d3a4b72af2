package dht.testkit.tiny;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dht.testkit.tiny.TinyRequest.Fault;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** The HTTP of the small server: parses requests from bytes, and turns answers into bytes. */
abstract class TinyProtocol {
    // Reading requests.

    InputStream input(Socket socket) throws IOException {
        return new BufferedInputStream(socket.getInputStream());
    }

    List<String> readHead(InputStream in) throws IOException, Fault {
        var lines = new ArrayList<String>();
        var line = new ByteArrayOutputStream();
        for (var count = 0; count < headBytesMax(); count++) {
            var b = in.read();
            if (b < 0) {
                throw new EOFException();
            }
            if (b != '\n') {
                line.write(b);
                continue;
            }
            var text = line.toString(ISO_8859_1).stripTrailing();
            if (text.isEmpty() && !lines.isEmpty()) {
                return lines;
            }
            lines.add(text);
            line.reset();
        }
        throw new Fault(431, "the head is longer than %d bytes".formatted(headBytesMax()));
    }

    int headBytesMax() {
        return 32 << 10;
    }

    TinyRequest parse(List<String> lines) throws Fault {
        return TinyRequest.parse(lines);
    }

    List<String> lengths(TinyRequest request) {
        return request.values("Content-Length");
    }

    long bodyLength(TinyRequest request) throws Fault {
        var lengths = lengths(request);
        if (!request.values("Transfer-Encoding").isEmpty()) {
            throw new Fault(lengths.isEmpty() ? 411 : 400, "chunked bodies are not taken");
        }
        if (lengths.isEmpty()) {
            return 0;
        }
        if (lengths.size() > 1 || !lengths.getFirst().matches("[0-9]+")) {
            throw new Fault(400, "Content-Length is not one number");
        }
        var digits = lengths.getFirst();
        return digits.length() > 19 ? Long.MAX_VALUE : Long.parseLong(digits);
    }

    long valueBytesMax() {
        return 16 << 20;
    }

    /** Sends the answer for which a client waits that has sent {@code Expect: 100-continue}. */
    void sendContinue(OutputStream out) throws IOException {
        out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1));
    }

    byte[] readBody(InputStream in, int length) throws IOException {
        var body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException();
        }
        return body;
    }

    /** Returns whether the connection can be used again. */
    boolean answerOutOfStep(OutputStream out, Fault fault) throws IOException {
        send(
                out,
                new TinyRequest("GET", "/", "", false, List.of()),
                error(fault.status, fault.getMessage()));
        return false;
    }

    boolean keepsAlive(TinyRequest request, TinyAnswer answer) {
        return !request.http10() && !request.asksToClose();
    }

    void betweenRequests(InputStream in) throws IOException {}

    void clientIsGone() {}

    // Decoding keys.

    String decode(String encoded) throws Fault {
        var out = new ByteArrayOutputStream();
        for (var i = 0; i < encoded.length(); i++) {
            if (encoded.charAt(i) == '%') {
                out.write(hexByte(encoded.substring(i + 1, Math.min(i + 3, encoded.length()))));
                i += 2;
            } else {
                out.write(encoded.charAt(i));
            }
        }
        return utf8(out.toByteArray());
    }

    int hexByte(String digits) throws Fault {
        if (!digits.matches("[0-9a-fA-F]{2}")) {
            throw new Fault(400, "malformed percent-encoding");
        }
        return HexFormat.fromHexDigits(digits);
    }

    String utf8(byte[] bytes) throws Fault {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException _) {
            throw new Fault(400, "malformed UTF-8");
        }
    }

    // Sending answers.

    TinyAnswer error(int status, String message) {
        return TinyAnswer.of(status, (message + "\n").getBytes(UTF_8))
                .header("Content-Type: text/plain; charset=utf-8");
    }

    void send(OutputStream out, TinyRequest request, TinyAnswer answer) throws IOException {
        out.write(answer.head());
        if (!request.method().equals("HEAD")) {
            out.write(answer.body());
        }
        if (answer.entries().isPresent()) {
            sendEntries(out, answer.entries().get());
        }
        out.flush();
    }

    void sendEntries(OutputStream out, Map<String, byte[]> entries) throws IOException {
        for (var entry : entries.entrySet()) {
            out.write(chunk(entry.getKey(), entry.getValue()));
        }
        out.write(TinyAnswer.chunk(new byte[0]));
    }

    byte[] chunk(String key, byte[] value) {
        return TinyAnswer.chunk(TinyAnswer.entry(key, value));
    }
}
