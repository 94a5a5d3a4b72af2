package dht.benchmarks.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NetworkFloorTest {
    private static final int DELAY_MILLIS = 20;

    /** If this JVM has to wait for a processor, a figure is wrong. Three in a row hardly are. */
    private static final int ATTEMPTS = 3;

    private static final int MEBIBYTE = 1 << 20;
    private static final String NOT_FOUND = "HTTP/1.1 404 Not Found\r\n";
    private static final String CHUNKED = "Transfer-Encoding: chunked\r\n\r\n";
    private static final String EMPTY_RANGE = "HTTP/1.1 200 OK\r\n" + CHUNKED + "0\r\n\r\n";
    private static final String STATUS_REQUEST = "GET /v0/status";
    private static final String RANGE_REQUEST = "GET /v0/entities?start=0";

    @Test
    void roundTrip_ofASlowServer_isItsDelay() throws Exception {
        StubServer.Answer slow =
                (_, _) -> {
                    Thread.sleep(DELAY_MILLIS);
                    return StubServer.OK;
                };
        try (StubServer server = new StubServer(slow)) {
            assertThat(NetworkFloor.medianMicros(server.url())).isGreaterThanOrEqualTo(20_000);
            assertThat(server.received())
                    .hasSizeGreaterThanOrEqualTo(7)
                    .hasSizeLessThan(30)
                    .allMatch(each -> each.connection() == 0)
                    .allMatch(each -> each.line().equals(STATUS_REQUEST));
        }
    }

    @Test
    void roundTrip_ofWhatIsNoServerOfOurs_isAnError() throws Exception {
        try (StubServer other = new StubServer((_, _) -> NOT_FOUND + "Content-Length: 0\r\n\r\n")) {
            assertThatThrownBy(() -> NetworkFloor.medianMicros(other.url()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("404");
        }
        try (StubServer silent = new StubServer((_, _) -> null)) {
            assertThatThrownBy(() -> NetworkFloor.medianMicros(silent.url()))
                    .isInstanceOf(EOFException.class);
        }
    }

    /** Six steps are five pauses. The reader may come late to the first one. */
    @Test
    void throughput_ofAServerThatPacesItsBytes_isItsPace() throws Exception {
        List<Double> found = new ArrayList<>();
        for (int i = 0; i < ATTEMPTS; i++) {
            try (RangeServer paced = new RangeServer(MEBIBYTE, 6, 50)) {
                found.add(NetworkFloor.megabytesPerS(paced.url()));
            }
        }

        double atPace = 6.0 * MEBIBYTE / 1_000_000 / 0.25;
        assertThat(found).anyMatch(each -> 3.4 < each && each < 2.5 * atPace);
    }

    /** The server keeps the connection open: what comes after the last byte does not count. */
    @Test
    void throughput_ofAnAnswerThatStops_countsUntilItsLastByte() throws Exception {
        try (StubServer server = new StubServer((_, _) -> range("HTTP/1.1 200 OK\r\n"))) {
            List<Double> found = new ArrayList<>();
            for (int i = 0; i < ATTEMPTS; i++) {
                found.add(NetworkFloor.megabytesPerS(server.url()));
            }

            double ifItLastedAsLongAsItMay = 2.0 * MEBIBYTE / 1_000_000 / 0.3;
            assertThat(found).anyMatch(each -> each > 2 * ifItLastedAsLongAsItMay);
            assertThat(server.received())
                    .hasSize(ATTEMPTS)
                    .extracting(StubServer.Received::line)
                    .containsOnly(RANGE_REQUEST);
        }
    }

    @Test
    void throughput_ofAnAnswerWithoutAnEnd_isLeftAfterSomeTime() throws Exception {
        try (RangeServer slow = new RangeServer(MEBIBYTE / 4, Integer.MAX_VALUE, 2)) {
            assertThat(NetworkFloor.megabytesPerS(slow.url())).isPositive();
            assertThat(slow.sentBytes()).isLessThan(64 * MEBIBYTE);
        }
    }

    /** What lies in the buffers of the connection was sent, too. */
    @Test
    void throughput_ofAnAnswerWithoutAnEnd_isLeftAfterSomeBytes() throws Exception {
        try (RangeServer fast = new RangeServer(MEBIBYTE, Integer.MAX_VALUE, 0)) {
            assertThat(NetworkFloor.megabytesPerS(fast.url())).isPositive();
            assertThat(fast.sentBytes()).isLessThan((64 + 16) * MEBIBYTE);
        }
    }

    @Test
    void throughput_ofNearlyNoData_isAnError() throws Exception {
        try (StubServer empty = new StubServer((_, _) -> EMPTY_RANGE)) {
            assertThatThrownBy(() -> NetworkFloor.megabytesPerS(empty.url()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("too few bytes");
        }
        try (RangeServer small = new RangeServer(MEBIBYTE - 100, 1, 0)) {
            assertThatThrownBy(() -> NetworkFloor.megabytesPerS(small.url()))
                    .hasMessageContaining("too few bytes");
        }
    }

    @Test
    void throughput_ofALongAnswerThatIsNo200_isAnError() throws Exception {
        try (StubServer other = new StubServer((_, _) -> range(NOT_FOUND))) {
            assertThatThrownBy(() -> NetworkFloor.megabytesPerS(other.url()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("404");
        }
    }

    @Test
    void line_ofANode_hasBothFigures() throws Exception {
        try (StubServer node =
                new StubServer(
                        (_, request) ->
                                request.line().equals(RANGE_REQUEST)
                                        ? range("HTTP/1.1 200 OK\r\n")
                                        : StubServer.OK)) {
            assertThat(NetworkFloor.line(node.url().toString()))
                    .matches(node.url() + " \\d+ \\d+\\.\\d");
            assertThat(node.received().stream().map(StubServer.Received::connection).distinct())
                    .hasSize(2);
        }
    }

    @Test
    void line_whereOneFigureIsMissing_hasTheOther() throws Exception {
        try (StubServer empty =
                new StubServer(
                        (_, request) ->
                                request.line().equals(RANGE_REQUEST)
                                        ? EMPTY_RANGE
                                        : StubServer.OK)) {
            assertThat(NetworkFloor.line(empty.url().toString())).matches(empty.url() + " \\d+ -");
        }
        try (StubServer withoutStatus =
                new StubServer(
                        (_, request) ->
                                request.line().equals(RANGE_REQUEST)
                                        ? range("HTTP/1.1 200 OK\r\n")
                                        : NOT_FOUND + "Content-Length: 0\r\n\r\n")) {
            assertThat(NetworkFloor.line(withoutStatus.url().toString()))
                    .matches(withoutStatus.url() + " - \\d+\\.\\d");
        }
    }

    @Test
    void line_ofNobody_hasNoFigure() throws Exception {
        // A port that is bound belongs to nobody else, and refuses connections.
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress("127.0.0.1", 0));
            String url = "http://127.0.0.1:" + bound.getLocalPort();
            assertThat(NetworkFloor.line(url)).isEqualTo(url + " - -");
        }
        assertThat(NetworkFloor.line("no url")).isEqualTo("no url - -");
    }

    /** It is sent alone: a nested class would be missing there. */
    @Test
    void networkFloor_hasNoOtherClass() {
        assertThat(Stream.of(NetworkFloor.class.getDeclaredClasses())).isEmpty();
    }

    /** An answer with 2 MiB in one chunk. */
    private static String range(String statusLine) {
        String data = "v".repeat(2 * MEBIBYTE);
        return statusLine + CHUNKED + "200000\r\n" + data + "\r\n0\r\n\r\n";
    }

    /** Answers one request with a range, a chunk a step, until the client has enough. */
    private static final class RangeServer implements AutoCloseable {
        private final ServerSocket listener;
        private final CompletableFuture<Long> sentBytes = new CompletableFuture<>();

        RangeServer(int stepBytes, int stepCount, int pauseMillis) throws IOException {
            listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            Thread.ofVirtual().start(() -> serve(stepBytes, stepCount, pauseMillis));
        }

        URI url() {
            return URI.create("http://127.0.0.1:" + listener.getLocalPort());
        }

        /** Of data, once the client has left, or has everything. */
        long sentBytes() throws Exception {
            return sentBytes.get(10, TimeUnit.SECONDS);
        }

        private void serve(int stepBytes, int stepCount, int pauseMillis) {
            String data = "v".repeat(stepBytes);
            byte[] chunk =
                    (Integer.toHexString(stepBytes) + "\r\n" + data + "\r\n").getBytes(ISO_8859_1);
            long sent = 0;
            try (Socket socket = listener.accept()) {
                skipRequest(socket.getInputStream());
                OutputStream out = socket.getOutputStream();
                out.write(("HTTP/1.1 200 OK\r\n" + CHUNKED).getBytes(ISO_8859_1));
                for (int step = 0; step < stepCount; step++) {
                    Thread.sleep(step == 0 ? 0 : pauseMillis);
                    out.write(chunk);
                    sent += stepBytes;
                }
                out.write("0\r\n\r\n".getBytes(ISO_8859_1));
            } catch (IOException | InterruptedException e) {
                // The client has left.
            } finally {
                sentBytes.complete(sent);
            }
        }

        private static void skipRequest(InputStream in) throws IOException {
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int next = in.read();
                if (next < 0) {
                    throw new EOFException("no whole request");
                }
                head.append((char) next);
            }
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }
}
