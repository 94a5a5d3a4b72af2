package dht.testkit.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.testkit.concurrent.Deadline;
import dht.testkit.transcript.Mismatch;
import dht.testkit.transcript.Preview;
import dht.testkit.transcript.ShellLine;
import dht.testkit.transcript.Transcript;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One TCP connection to a server, on which a test controls every byte. Every wait has a time limit,
 * and every exchange is recorded in a transcript. A check that fails throws a {@link Mismatch}.
 *
 * <p>For one thread at a time; any thread may close it.
 */
public final class Connection implements AutoCloseable {
    /** The receive buffer that the operating system chooses. */
    public static final int DEFAULT_BUFFER = 0;

    /**
     * A receive buffer, in bytes, that is large enough to read from, and so small that an unread
     * answer fills it.
     */
    public static final int SMALL_BUFFER_BYTES = 64 << 10;

    private static final int UNEXPECTED_BYTES_MAX = 64 << 10;

    private final Socket socket;
    private final Incoming in;
    private final Outgoing out;
    private final ResponseReader responses;
    private final URI base;
    private final String node;
    private final Duration patience;
    private final Transcript transcript;
    private final int number;

    private Connection(
            Socket socket, URI base, String node, Duration patience, Transcript transcript)
            throws IOException {
        this.socket = socket;
        this.in = new Incoming(socket, patience);
        this.out = new Outgoing(socket);
        this.responses = new ResponseReader(in);
        this.base = base;
        this.node = node;
        this.patience = patience;
        this.transcript = transcript;
        this.number = transcript.opened();
    }

    /**
     * Opens a connection.
     *
     * @param bufferBytes the size of the receive buffer of the operating system
     * @param patience the time limit of each wait
     * @throws NoAnswer if no server accepts the connection
     */
    public static Connection open(
            URI base, String node, int bufferBytes, Duration patience, Transcript transcript) {
        var socket = new Socket();
        try {
            if (bufferBytes != DEFAULT_BUFFER) {
                socket.setReceiveBufferSize(bufferBytes);
            }
            socket.setTcpNoDelay(true);
            var address = new InetSocketAddress(base.getHost(), base.getPort());
            socket.connect(address, (int) patience.toMillis());
            return new Connection(socket, base, node, patience, transcript);
        } catch (IOException refused) {
            closeQuietly(socket);
            var expected = "%s to accept connections at %s".formatted(node, base);
            throw new NoAnswer(NoAnswer.Kind.REFUSED, expected, refused.toString());
        }
    }

    // Sending: these methods do not wait until the server reads, except if the socket's buffer is
    // already full.

    /** Sends a complete request. */
    public Connection send(Request request) {
        return send(request.bytes(host()), request.shellLine(base));
    }

    /** Sends many requests in one write, before an answer is read. */
    public Connection sendPipelined(List<Request> requests) {
        var bytes = new ByteArrayOutputStream();
        for (var request : requests) {
            asked(request.shellLine(base));
            bytes.writeBytes(request.bytes(host()));
        }
        out.send(bytes.toByteArray());
        return this;
    }

    /** Sends the head of a request without its body; {@link #sendBody} sends the body. */
    public Connection sendHead(Request request) {
        return send(request.head(host()), request.shellLine(base) + "   (head only)");
    }

    /** Sends a body, or a part of it, after {@link #sendHead}. */
    public Connection sendBody(byte[] body) {
        return send(body, "(of the body: %s)".formatted(Preview.of(body)));
    }

    /**
     * Sends a request in two parts and runs an action between them.
     *
     * @param cut the size of the first part, in bytes
     */
    public Connection sendCut(Request request, int cut, Runnable between) {
        var bytes = request.bytes(host());
        sendPrefix(request, cut);
        between.run();
        return send(Arrays.copyOfRange(bytes, cut, bytes.length), "(the other bytes)");
    }

    /** Sends only the first {@code count} bytes of a request. */
    public Connection sendPrefix(Request request, int count) {
        var bytes = request.bytes(host());
        var part = "   (the first %,d of %,d bytes)".formatted(count, bytes.length);
        return send(Arrays.copyOf(bytes, count), request.shellLine(base) + part);
    }

    /** Sends any characters, each as one byte. They need not be a request. */
    public Connection sendRaw(String latin1) {
        var bytes = latin1.getBytes(ISO_8859_1);
        return send(bytes, ShellLine.netcat(base, bytes));
    }

    /** Closes the sending side of the connection. Answers can still be received. */
    public Connection finishSending() {
        asked("(the client ends its side of the connection)");
        out.finish();
        return this;
    }

    /** How many bytes {@link #send} would send. */
    public int lengthOf(Request request) {
        return request.bytes(host()).length;
    }

    private Connection send(byte[] bytes, String shellLine) {
        asked(shellLine);
        out.send(bytes);
        return this;
    }

    private void asked(String shellLine) {
        transcript.asked(number, node, shellLine);
    }

    // Receiving: these methods wait, at most for the time limit, and throw NoAnswer after it.

    /** Receives the next answer. It may be an interim one, such as {@code 100 Continue}. */
    public Response receive() {
        return receive(responses::response);
    }

    /** Receives the next answer, without interim ones ({@code 100 Continue}). */
    public Response receiveFinal() {
        var response = receive();
        return response.status() == 100 ? receive() : response;
    }

    /**
     * Receives the answer to a HEAD request: its headers give the length of a body that is not
     * sent.
     */
    public Response receiveToHead() {
        return receive(responses::responseToHead);
    }

    /** Receives the head of a chunked 200; {@link #nextChunk} receives the chunks. */
    public Connection receiveChunkedHead() {
        receive(responses::beginningOfChunked);
        return this;
    }

    /** Receives the next chunk; empty for the terminating one. */
    public Optional<byte[]> nextChunk() {
        return recordingFailure(responses::nextChunk);
    }

    /** The chunks up to the terminating one. Each is received when the iterator returns it. */
    public Iterator<byte[]> remainingChunks() {
        var chunks = Stream.generate(this::nextChunk).takeWhile(Optional::isPresent);
        return chunks.map(Optional::get).iterator();
    }

    /** Waits until the first byte of an answer has arrived, and does not read it. */
    public Connection awaitAnswer() {
        recordingFailure(in::awaitByte);
        transcript.answered(number, "an answer begins, and is left unread");
        return this;
    }

    /** Waits until the server closes the connection, and ignores what it sends before. */
    public void awaitClose() {
        var rest = recordingFailure(() -> in.untilEnd(UNEXPECTED_BYTES_MAX));
        transcript.answered(number, Preview.of(rest) + ", then a close");
    }

    private Response receive(Supplier<Response> reading) {
        var response = recordingFailure(reading);
        transcript.answered(number, response.summary());
        return response;
    }

    private <T> T recordingFailure(Supplier<T> reading) {
        in.startMessage();
        try {
            return reading.get();
        } catch (Mismatch mismatch) {
            throw recorded(mismatch);
        }
    }

    private Mismatch recorded(Mismatch mismatch) {
        transcript.answered(number, mismatch.got());
        return mismatch;
    }

    // Checks.

    /** Checks that the server closes the connection and sends nothing before. */
    public void expectClosed() {
        in.startMessage();
        byte[] rest;
        try {
            rest = in.untilEnd(UNEXPECTED_BYTES_MAX);
        } catch (NoAnswer _) {
            var got = "still open after " + Deadline.words(patience);
            throw recorded(new Mismatch("the server closes the connection", got));
        }
        if (rest.length > 0) {
            var got = "more after it: " + Preview.of(rest);
            throw recorded(new Mismatch("exactly one response, then a close", got));
        }
        transcript.answered(number, "closed by the server");
    }

    /**
     * Checks that the connection is still usable: one more request gets its own answer, and there
     * are no bytes between the answers or after the last one. Ends the connection.
     */
    public void expectInStep() {
        send(Request.get(Target.STATUS).header("Connection: close"));
        receive().expectStatus(200);
        expectClosed();
    }

    /** Checks that the server has closed the connection, or that the connection is still usable. */
    public void expectClosedOrInStep() {
        try {
            expectInStep();
        } catch (NoAnswer none) {
            if (!none.closedBeforeFirstByte()) {
                throw none;
            }
        }
    }

    /** Checks that no bytes have arrived that do not belong to an answer. */
    public void expectNothingUnread() {
        if (in.hasUnread()) {
            var expected = "exactly one response to each request";
            throw recorded(new Mismatch(expected, "more bytes than that"));
        }
    }

    /** Ends the connection with a reset, as if the client had crashed. */
    public void reset() {
        asked("(the client resets the connection)");
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException _) {
            // It is already closed.
        }
        close();
    }

    @Override
    public void close() {
        closeQuietly(socket);
    }

    private String host() {
        return base.getHost() + ":" + base.getPort();
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // Nothing is left to close.
        }
    }
}
