package dht.benchmarks.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.Arrays;

/**
 * The network's floor: how long requests for the status take, one after another over one
 * connection. For each URL a line is printed, {@code URL MICROS}, with the median of the round
 * trips; where there is no answer, {@code URL -}.
 *
 * <p>It is sent to nodes and runs there by itself. So it is one class, which needs nothing but
 * java.base.
 */
public final class RoundTrip {
    private static final int REQUESTS_MAX = 100;
    private static final int REQUESTS_MIN = 5;

    /** Requests that also open the connection and load classes. */
    private static final int WARMUP = 2;

    /** After this time no further request is sent, if there were enough. */
    private static final long LASTS_NANOS_MAX = 200_000_000;

    private static final int ANSWERS_WITHIN_MILLIS = 1000;
    private static final int HEAD_BYTES_MAX = 8192;
    private static final int NANOS_PER_MICRO = 1000;

    private RoundTrip() {}

    public static void main(String[] urls) {
        for (String url : urls) {
            String micros;
            try {
                micros = String.valueOf(medianMicros(URI.create(url)));
            } catch (IOException | IllegalArgumentException _) {
                micros = "-";
            }
            System.out.println(url + " " + micros);
        }
    }

    /**
     * @throws IOException if it does not answer with 200, or not within a second
     */
    static long medianMicros(URI url) throws IOException {
        int port = url.getPort() < 0 ? 80 : url.getPort();
        byte[] request =
                ("GET /v0/status HTTP/1.1\r\nHost: " + url.getAuthority() + "\r\n\r\n")
                        .getBytes(ISO_8859_1);
        try (Socket socket = new Socket()) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(ANSWERS_WITHIN_MILLIS);
            socket.connect(new InetSocketAddress(url.getHost(), port), ANSWERS_WITHIN_MILLIS);
            InputStream answers = new BufferedInputStream(socket.getInputStream());
            long[] nanos = new long[REQUESTS_MAX];
            int count = 0;
            long began = System.nanoTime();
            for (int i = 0; count < REQUESTS_MAX; i++) {
                long sent = System.nanoTime();
                if (count >= REQUESTS_MIN && sent - began > LASTS_NANOS_MAX) {
                    break;
                }
                socket.getOutputStream().write(request);
                skipAnswer(answers);
                if (i >= WARMUP) {
                    nanos[count++] = System.nanoTime() - sent;
                }
            }
            Arrays.sort(nanos, 0, count);
            return nanos[count / 2] / NANOS_PER_MICRO;
        }
    }

    private static void skipAnswer(InputStream answers) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = answers.read();
            if (next < 0 || head.length() >= HEAD_BYTES_MAX) {
                throw new EOFException("no whole answer");
            }
            head.append((char) next);
        }
        if (!head.toString().startsWith("HTTP/1.1 200")) {
            throw new IOException("no status: " + head.substring(0, head.indexOf("\r\n")));
        }
        answers.skipNBytes(contentLength(head.toString()));
    }

    private static long contentLength(String head) throws IOException {
        for (String line : head.split("\r\n")) {
            if (line.regionMatches(true, 0, "Content-Length:", 0, "Content-Length:".length())) {
                return Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
            }
        }
        throw new IOException("an answer without a Content-Length");
    }
}
