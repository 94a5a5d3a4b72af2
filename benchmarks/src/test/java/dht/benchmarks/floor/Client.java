package dht.benchmarks.floor;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One connection, which is never opened again. Not thread-safe. */
final class Client implements AutoCloseable {
    private static final int ANSWERED_WITHIN_MS = 30_000;
    private static final Pattern HEAD =
            Pattern.compile(
                    "HTTP/1\\.1 (\\d{3}) .*\r\ncontent-length: *(\\d+)\r\n.*",
                    Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    record Answer(int status, int bodyBytes) {}

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    Client(String url) throws IOException {
        URI server = URI.create(url);
        this.socket = new Socket(server.getHost(), server.getPort());
        socket.setSoTimeout(ANSWERED_WITHIN_MS);
        socket.setTcpNoDelay(true);
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    /** Sends a request without a body, and waits for its answer. */
    Answer ask(String method, String target) throws IOException {
        send(method, target, new byte[0]);
        return receive();
    }

    void send(String method, String target, byte[] body) throws IOException {
        String head = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n";
        String length = method.equals("PUT") ? "Content-Length: " + body.length + "\r\n" : "";
        out.write((head + length + "\r\n").getBytes(ISO_8859_1));
        out.write(body);
    }

    /** In one packet. */
    void sendAtOnce(String... requests) throws IOException {
        out.write(String.join("", requests).getBytes(ISO_8859_1));
    }

    /** The next answer, which must say how long it is. */
    Answer receive() throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int b = in.read();
            if (b < 0) {
                throw new EOFException("the server has closed the connection: " + head);
            }
            head.append((char) b);
        }
        Matcher match = HEAD.matcher(head);
        if (!match.matches()) {
            throw new IOException("not an answer with a length: " + head);
        }
        int bytes = Integer.parseInt(match.group(2));
        return new Answer(Integer.parseInt(match.group(1)), in.readNBytes(bytes).length);
    }

    /** Whether the server has closed the connection; waits for that. */
    boolean isAtEnd() throws IOException {
        try {
            return in.read() < 0;
        } catch (SocketException e) { // Reset.
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
