package dht.testkit.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Promise;
import dht.testkit.transcript.Transcript;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests how a connection handles answers. The server sends whatever a test wants. */
class ConnectionTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Duration IMPATIENT = Duration.ofMillis(100);

    private ServerSocket listener;

    @BeforeEach
    void listen() throws IOException {
        listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        listener.close();
    }

    static Stream<Arguments> malformedAnswers() {
        var ok = "HTTP/1.1 200 OK\r\n";
        var chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
        return Stream.of(
                Arguments.of("", "not one byte, then the connection was closed"),
                Arguments.of("HTTP/1.1 2", "10 bytes, then the connection was closed"),
                Arguments.of("hello\r\n\r\n", "a status line"),
                Arguments.of("HTTP/1.1 999 Odd\r\n\r\n", "a status line"),
                Arguments.of("HTTP/2 200 OK\r\n\r\n", "a status line"),
                Arguments.of("HTTP/1.1 200 OK\n\n", "lines that end with CRLF"),
                Arguments.of(ok + "no colon\r\n\r\n", "'no colon'"),
                Arguments.of(ok + "\r\nbody", "a Content-Length or a chunked body"),
                Arguments.of(
                        ok + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
                        "one header Content-Length"),
                Arguments.of(ok + "Content-Length: -1\r\n\r\n", "a Content-Length of 0 to"),
                Arguments.of(
                        ok + "Content-Length: 10\r\n\r\nhello", "then the connection was closed"),
                Arguments.of(chunked + "x\r\n", "the size of a chunk in hexadecimal"),
                Arguments.of(
                        chunked + "5;a=b\r\nhello\r\n0\r\n\r\n",
                        "the size of a chunk in hexadecimal"),
                Arguments.of(chunked + "4\r\nhello\r\n0\r\n\r\n", "CRLF after a chunk of 4 bytes"),
                Arguments.of(
                        chunked + "5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n",
                        "CRLF after a chunk of 0 bytes"),
                Arguments.of(chunked + "5\r\nhello\r\n", "then the connection was closed"));
    }

    @ParameterizedTest
    @MethodSource("malformedAnswers")
    void answer_thatIsMalformed_isToldAsSuch(String answer, String complaint) {
        try (var connection = connect(SOON)) {
            connection.send(Request.get("/"));
            sayAndClose(answer);
            assertThatThrownBy(connection::receive)
                    .isInstanceOf(Mismatch.class)
                    .hasMessageContaining(complaint);
        }
    }

    @Test
    void answer_ofEachFraming_isReadExactly() {
        try (var connection = connect(SOON)) {
            sayAndClose(
                    "HTTP/1.1 200 OK\r\ncontent-length:5\r\n\r\nhello"
                            + "HTTP/1.1 200\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0A\r\n0123456789\r\n0\r\n\r\n"
                            + "HTTP/1.1 204 No Content\r\n\r\n"
                            + "HTTP/1.1 100 Continue\r\n\r\n"
                            + "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nto the end");
            connection.receive().expectBody("hello".getBytes(ISO_8859_1));
            connection
                    .receive()
                    .expectChunks(
                            List.of("abc".getBytes(ISO_8859_1), "0123456789".getBytes(ISO_8859_1)));
            connection.receive().expectStatus(204);
            connection.receiveFinal().expectBody("to the end".getBytes(ISO_8859_1));
            connection.expectClosed();
        }
    }

    @Test
    void silence_longerThanPatience_isNoAnswerFromALivingServer() throws IOException {
        try (var connection = connect(IMPATIENT);
                var client = listener.accept()) {
            client.getOutputStream().write("HTTP/1.1 ".getBytes(ISO_8859_1));
            var silence = catchThrowableOfType(NoAnswer.class, connection::receive);
            assertThat(silence).hasMessageContaining("9 bytes, then silence");
            assertThat(silence.isGone()).isFalse();
        }
    }

    @Test
    void close_thatDoesNotCome_isTold() throws IOException {
        try (var connection = connect(IMPATIENT);
                var _ = listener.accept()) {
            assertThatThrownBy(connection::expectClosed)
                    .hasMessageContaining("still open after 100 ms");
        }
    }

    @Test
    void close_afterMoreBytes_isTold() {
        try (var connection = connect(SOON)) {
            sayAndClose("more");
            assertThatThrownBy(connection::expectClosed)
                    .hasMessageContaining("more after it: 4 bytes \"more\"");
        }
    }

    @Test
    void reset_beforeAnAnswer_countsAsGone() throws IOException {
        try (var connection = connect(SOON);
                var client = listener.accept()) {
            client.setSoLinger(true, 0);
            client.close();
            var gone = catchThrowableOfType(NoAnswer.class, connection::receive);
            assertThat(gone.isGone()).isTrue();
            assertThat(gone).hasMessageContaining("then the connection was reset");
        }
    }

    @Test
    void connect_whereNobodyListens_isNoAnswer() throws IOException {
        // A port that is bound belongs to nobody else, and refuses connections.
        try (var bound = new Socket()) {
            bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            assertThatThrownBy(
                            () ->
                                    connect(
                                            bound.getLocalPort(),
                                            SOON,
                                            new Transcript("test", Promise.STATUS_ANSWERS)))
                    .isInstanceOf(NoAnswer.class)
                    .hasMessageContaining("refused");
        }
    }

    @Test
    void send_ofMoreThanAnyoneReads_leavesTheCallerFree() throws IOException {
        try (var connection = connect(SOON);
                var client = listener.accept()) {
            connection.send(
                    // Far more than the buffers of both sockets take.
                    Request.put("/", new byte[64 << 20]));
            client.getOutputStream()
                    .write("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n".getBytes(ISO_8859_1));
            connection.receive().expectStatus(413);
        }
    }

    @Test
    void transcript_ofAnExchange_hasRequestAndAnswer() {
        var transcript = new Transcript("test", Promise.STATUS_ANSWERS);
        try (var connection = connect(SOON, transcript)) {
            sayAndClose("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            connection.send(Request.get("/v0/status")).receive();
        }
        assertThat(transcript.of(new Mismatch("", ""), ""))
                .contains(
                        "#1   node  curl -i 'http://",
                        "/v0/status'",
                        "#1     => 200 OK, 2 bytes \"ok\"");
    }

    @Test
    void errorBody_ofOneLine_isFine() {
        var plain = "Content-Type: text/plain;charset=UTF-8";
        assertThatCode(() -> errorWith(plain, "what was wrong\n").expectError(400))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> errorWith(plain, "").expectError(400))
                .hasMessageContaining("one line");
        assertThatThrownBy(() -> errorWith(plain, "a\nb").expectError(400))
                .hasMessageContaining("one line");
        assertThatThrownBy(() -> errorWith(plain, "x".repeat(2000)).expectError(400))
                .hasMessageContaining("one line");
        assertThatThrownBy(() -> errorWith(plain, "\u00ff").expectError(400))
                .hasMessageContaining("one line");
        assertThatThrownBy(() -> errorWith("X: y", "what").expectError(400))
                .hasMessageContaining("Content-Type");
        assertThatThrownBy(() -> errorWith(plain, "what").expectError(413))
                .hasMessageContaining("status 413");
    }

    private Response errorWith(String header, String body) {
        try (var connection = connect(SOON)) {
            sayAndClose(
                    "HTTP/1.1 400 Bad\r\n%s\r\nContent-Length: %d\r\n\r\n%s"
                            .formatted(header, body.length(), body));
            return connection.receive();
        }
    }

    private Connection connect(Duration patience) {
        return connect(patience, new Transcript("test", Promise.STATUS_ANSWERS));
    }

    private Connection connect(Duration patience, Transcript transcript) {
        return connect(listener.getLocalPort(), patience, transcript);
    }

    private static Connection connect(int port, Duration patience, Transcript transcript) {
        var base = URI.create("http://127.0.0.1:" + port);
        return Connection.open(base, "node", Connection.DEFAULT_BUFFER, patience, transcript);
    }

    /**
     * Sends an answer to the next client. It reads all bytes of the client first: otherwise closing
     * the connection would reset it.
     */
    private void sayAndClose(String latin1) {
        Thread.startVirtualThread(
                () -> {
                    try (Socket client = listener.accept()) {
                        client.getOutputStream().write(latin1.getBytes(ISO_8859_1));
                        client.shutdownOutput();
                        client.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
                    } catch (IOException _) {
                        // The client may close first.
                    }
                });
    }
}
