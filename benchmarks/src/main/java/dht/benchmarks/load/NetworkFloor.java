package dht.benchmarks.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.Arrays;
import java.util.Locale;

/**
 * The network's floor: how long requests for the status take, one after another over one
 * connection, and how fast a range of all that a node stores comes over another one. For each URL a
 * line is printed, {@code URL MICROS MEGABYTES_PER_S}: the median of the round trips, and the
 * throughput. Where there is no figure, it has {@code -}.
 *
 * <p>It is sent to nodes and runs there by itself. So it is one class, which needs nothing but
 * java.base.
 */
public final class NetworkFloor {
    private static final String NO_FIGURE = "-";
    private static final int REQUESTS_MAX = 100;
    private static final int REQUESTS_MIN = 5;

    /** Requests that also open the connection and load classes. */
    private static final int WARMUP = 2;

    /** After this time no further request is sent, if there were enough. */
    private static final long LASTS_NANOS_MAX = 200_000_000;

    /** The range is left after this time, or after so many bytes. */
    private static final long RANGE_LASTS_NANOS_MAX = 300_000_000;

    private static final long RANGE_BYTES_MAX = 64 << 20;

    /** Fewer come in a moment, out of buffers: they say nothing of the network. */
    private static final long RANGE_BYTES_MIN = 1 << 20;

    private static final int BUFFER_BYTES = 1 << 16;
    private static final int ANSWERS_WITHIN_MILLIS = 1000;
    private static final int HEAD_BYTES_MAX = 8192;
    private static final int NANOS_PER_MICRO = 1000;
    private static final int NANOS_PER_MILLI = 1_000_000;

    private NetworkFloor() {}

    public static void main(String[] urls) {
        for (String url : urls) {
            System.out.println(line(url));
        }
    }

    static String line(String url) {
        String micros = NO_FIGURE;
        String megabytesPerS = NO_FIGURE;
        try {
            micros = String.valueOf(medianMicros(URI.create(url)));
        } catch (IOException | IllegalArgumentException _) {
            // The line says so.
        }
        try {
            megabytesPerS = String.format(Locale.ROOT, "%.1f", megabytesPerS(URI.create(url)));
        } catch (IOException | IllegalArgumentException _) {
            // The line says so.
        }
        return url + " " + micros + " " + megabytesPerS;
    }

    /**
     * @throws IOException if it does not answer with 200, or not within a second
     */
    static long medianMicros(URI url) throws IOException {
        byte[] request = request(url, "/v0/status", "");
        try (Socket socket = connected(url)) {
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
                answers.skipNBytes(contentLength(headOfOk(answers)));
                if (i >= WARMUP) {
                    nanos[count++] = System.nanoTime() - sent;
                }
            }
            Arrays.sort(nanos, 0, count);
            return nanos[count / 2] / NANOS_PER_MICRO;
        }
    }

    /**
     * A lower bound of what the network gives, because the node reads its storage meanwhile.
     *
     * @return from the first byte of the answer to the last one that was read
     * @throws IOException if it does not answer with 200, or not within a second, or with too few
     *     bytes
     */
    static double megabytesPerS(URI url) throws IOException {
        try (Socket socket = connected(url)) {
            socket.getOutputStream()
                    .write(request(url, "/v0/entities?start=0", "Connection: close\r\n"));
            PushbackInputStream answer = new PushbackInputStream(socket.getInputStream());
            int first = answer.read();
            long began = System.nanoTime();
            if (first < 0) {
                throw new EOFException("no answer");
            }
            answer.unread(first);
            headOfOk(answer);
            byte[] buffer = new byte[BUFFER_BYTES];
            long bytes = 0;
            long lasted = 0;
            while (bytes < RANGE_BYTES_MAX) {
                int count = readUntil(began + RANGE_LASTS_NANOS_MAX, socket, answer, buffer);
                if (count < 0) {
                    break;
                }
                bytes += count;
                lasted = System.nanoTime() - began;
            }
            if (bytes < RANGE_BYTES_MIN) {
                throw new IOException("too few bytes for a figure: bytes=" + bytes);
            }
            return bytes * 1000.0 / lasted; // Bytes per nanosecond are thousands of MB per second.
        }
    }

    /** How many bytes came; -1 if the answer has ended, or nothing came until then. */
    private static int readUntil(long nanos, Socket socket, InputStream answer, byte[] buffer)
            throws IOException {
        long restNanos = nanos - System.nanoTime();
        if (restNanos <= 0) {
            return -1;
        }
        socket.setSoTimeout(1 + (int) (restNanos / NANOS_PER_MILLI)); // 0 would be for ever.
        try {
            return answer.read(buffer);
        } catch (SocketTimeoutException _) {
            return -1;
        }
    }

    private static Socket connected(URI url) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(ANSWERS_WITHIN_MILLIS);
            int port = url.getPort() < 0 ? 80 : url.getPort();
            socket.connect(new InetSocketAddress(url.getHost(), port), ANSWERS_WITHIN_MILLIS);
            return socket;
        } catch (IOException | IllegalArgumentException e) {
            socket.close();
            throw e;
        }
    }

    private static byte[] request(URI url, String target, String headers) {
        String line = "GET " + target + " HTTP/1.1\r\n";
        return (line + "Host: " + url.getAuthority() + "\r\n" + headers + "\r\n")
                .getBytes(ISO_8859_1);
    }

    private static String headOfOk(InputStream answers) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = answers.read();
            if (next < 0 || head.length() >= HEAD_BYTES_MAX) {
                throw new EOFException("no whole answer");
            }
            head.append((char) next);
        }
        if (!head.toString().startsWith("HTTP/1.1 200")) {
            throw new IOException("not answered: " + head.substring(0, head.indexOf("\r\n")));
        }
        return head.toString();
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
