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
    /** The length of a body that comes in chunks. */
    static final long CHUNKED = -1;

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

    /** The length of the body in bytes, or {@link #CHUNKED}. */
    long bodyLength(TinyRequest request) throws Fault {
        var lengths = lengths(request);
        var codings = request.values("Transfer-Encoding");
        if (!codings.isEmpty()) {
            if (!lengths.isEmpty() || !codings.equals(List.of("chunked"))) {
                throw new Fault(400, "the body needs either a length or chunks");
            }
            return CHUNKED;
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

    byte[] readChunks(InputStream in) throws IOException, Fault {
        var body = new ByteArrayOutputStream();
        for (var size = chunkSize(readLine(in)); size > 0; size = chunkSize(readLine(in))) {
            checkSize(body.size() + size);
            body.write(readBody(in, (int) size));
            if (!readLine(in).isEmpty()) {
                throw new Fault(400, "a chunk is longer than its size");
            }
        }
        readTrailers(in);
        return body.toByteArray();
    }

    long chunkSize(String line) throws Fault {
        if (!line.matches("[0-9a-fA-F]{1,8}([ \\t]*;.*)?")) {
            throw new Fault(400, "malformed chunk size");
        }
        return HexFormat.fromHexDigitsToLong(line.split("[ \\t;]", 2)[0]);
    }

    void readTrailers(InputStream in) throws IOException, Fault {
        for (var line = readLine(in); !line.isEmpty(); line = readLine(in)) {
            TinyRequest.checkHeader(line);
        }
    }

    /** Reads a line of a chunked body. */
    private String readLine(InputStream in) throws IOException, Fault {
        var line = new ByteArrayOutputStream();
        for (var b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException();
            }
            if (line.size() == headBytesMax()) {
                throw new Fault(400, "a line is longer than %d bytes".formatted(headBytesMax()));
            }
            line.write(b);
        }
        return withoutEnd(line.toString(ISO_8859_1));
    }

    /** A line of a chunked body, without its CR. */
    String withoutEnd(String line) throws Fault {
        if (!line.endsWith("\r") || line.indexOf('\r') < line.length() - 1) {
            throw new Fault(400, "lines of a chunked body end with CR LF");
        }
        return line.substring(0, line.length() - 1);
    }

    void checkSize(long length) throws Fault {
        if (length > valueBytesMax()) {
            throw new Fault(413, "the value is larger than %d bytes".formatted(valueBytesMax()));
        }
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
