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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One TCP connection to a server, with its bytes under the test's control. Every wait is bounded,
 * every exchange is recorded.
 *
 * <p>One thread at a time; any thread may close it.
 */
public final class Connection implements AutoCloseable {
    /** What the operating system chooses. */
    public static final int DEFAULT_BUFFER = 0;

    /** Enough for progress, little enough for an unread answer to fill it. */
    public static final int SMALL_BUFFER_BYTES = 64 << 10;

    private final Socket socket;
    private final Incoming in;
    private final Outgoing out;
    private final BodyReader bodies;
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
        this.bodies = new BodyReader(in);
        this.base = base;
        this.node = node;
        this.patience = patience;
        this.transcript = transcript;
        this.number = transcript.opened();
    }

    /**
     * Connects.
     *
     * @param receiveBufferBytes how much the operating system may take for a reader who doesn't
     *     read
     * @param patience bound of every single wait
     * @throws NoAnswer where nobody accepts
     */
    public static Connection open(
            URI base,
            String node,
            int receiveBufferBytes,
            Duration patience,
            Transcript transcript) {
        var socket = new Socket();
        try {
            if (receiveBufferBytes != DEFAULT_BUFFER) {
                socket.setReceiveBufferSize(receiveBufferBytes);
            }
            socket.setTcpNoDelay(true);
            socket.connect(
                    new InetSocketAddress(base.getHost(), base.getPort()),
                    (int) patience.toMillis());
            return new Connection(socket, base, node, patience, transcript);
        } catch (IOException refused) {
            closeQuietly(socket);
            throw new NoAnswer(
                    NoAnswer.Kind.REFUSED,
                    "%s to accept connections at %s".formatted(node, base),
                    refused.toString());
        }
    }

    public Connection send(Request request) {
        transcript.asked(number, node, request.shellLine(base));
        out.send(request.bytes(host()));
        return this;
    }

    /** Many requests in one go, before any answer is read. */
    public Connection sendPipelined(List<Request> requests) {
        var bytes = new ByteArrayOutputStream();
        for (var request : requests) {
            transcript.asked(number, node, request.shellLine(base));
            bytes.writeBytes(request.bytes(host()));
        }
        out.send(bytes.toByteArray());
        return this;
    }

    /** The head alone; the body is held back. */
    public Connection sendHead(Request request) {
        transcript.asked(number, node, request.shellLine(base) + "   (head only, body held back)");
        out.send(request.head(host()));
        return this;
    }

    /** The body that {@link #sendHead} held back. */
    public Connection sendBody(byte[] body) {
        transcript.asked(number, node, "(the body follows: %s)".formatted(Preview.of(body)));
        out.send(body);
        return this;
    }

    /** The request in two parts, with something done between them. */
    public Connection sendCut(Request request, int cut, Runnable between) {
        var bytes = request.bytes(host());
        transcript.asked(
                number,
                node,
                "%s   (cut after byte %d of %d)"
                        .formatted(request.shellLine(base), cut, bytes.length));
        out.send(Arrays.copyOf(bytes, cut));
        between.run();
        out.send(Arrays.copyOfRange(bytes, cut, bytes.length));
        return this;
    }

    /** The beginning of a request, and no more of it. */
    public Connection sendPrefix(Request request, int count) {
        var bytes = request.bytes(host());
        transcript.asked(
                number,
                node,
                "%s   (only %d of %d bytes)"
                        .formatted(request.shellLine(base), count, bytes.length));
        out.send(Arrays.copyOf(bytes, count));
        return this;
    }

    /** Bytes that need not be a request. */
    public Connection sendRaw(byte[] bytes) {
        transcript.asked(number, node, ShellLine.netcat(base, bytes));
        out.send(bytes);
        return this;
    }

    public Connection sendRaw(String latin1) {
        return sendRaw(latin1.getBytes(ISO_8859_1));
    }

    /** Says that nothing more will be sent; answers can still come. */
    public Connection finishSending() {
        transcript.asked(number, node, "(the client ends its side of the connection)");
        out.finish();
        return this;
    }

    /** Waits until an answer has begun, and leaves it unread. */
    public Connection awaitAnswer() {
        in.startMessage();
        recordFailure(
                () -> {
                    in.awaitByte();
                    return null;
                });
        transcript.answered(number, "an answer begins, and is left unread");
        return this;
    }

    /** The next answer, interim ones included. */
    public Response receive() {
        return record(
                () -> {
                    var head = ResponseHead.read(in);
                    if (head.hasNoBody()) {
                        return new Response(head, new byte[0], List.of());
                    }
                    return head.isChunked()
                            ? readChunked(head)
                            : new Response(head, bodies.whole(head), List.of());
                });
    }

    /** The next answer that is no {@code 100 Continue}. */
    public Response receiveFinal() {
        var response = receive();
        return response.status() == 100 ? receive() : response;
    }

    /** The answer to a HEAD request: its headers announce a body that doesn't come. */
    public Response receiveToHead() {
        return record(() -> new Response(ResponseHead.read(in), new byte[0], List.of()));
    }

    /** The head of a chunked 200; {@link #nextChunk} reads on. */
    public Connection receiveChunkedHead() {
        record(
                () -> {
                    var head = ResponseHead.read(in);
                    if (head.status() != 200 || !head.isChunked()) {
                        throw new Mismatch(
                                "status 200 with Transfer-Encoding: chunked", head.toString());
                    }
                    return new Response(head, new byte[0], List.of());
                });
        return this;
    }

    /** The next chunk, or empty at the terminating one. */
    public Optional<byte[]> nextChunk() {
        in.startMessage();
        return recordFailure(bodies::nextChunk);
    }

    /** The chunks up to the terminating one, read as they are asked for. */
    public Iterator<byte[]> remainingChunks() {
        return Stream.generate(this::nextChunk)
                .takeWhile(Optional::isPresent)
                .map(Optional::get)
                .iterator();
    }

    /** Checks that the server closes now, and sends nothing before. */
    public void expectClosed() {
        in.startMessage();
        byte[] rest;
        try {
            rest = in.untilEnd(SMALL_BUFFER_BYTES);
        } catch (NoAnswer _) {
            throw failed(
                    new Mismatch(
                            "the server closes the connection",
                            "still open after " + Deadline.words(patience)));
        }
        if (rest.length > 0) {
            throw failed(
                    new Mismatch(
                            "exactly one response, then a close",
                            "more after it: " + Preview.of(rest)));
        }
        transcript.answered(number, "closed by the server");
    }

    /** Waits until the server closes, whatever it says before. */
    public void drainUntilClosed() {
        in.startMessage();
        transcript.answered(
                number,
                Preview.of(recordFailure(() -> in.untilEnd(SMALL_BUFFER_BYTES)))
                        + ", then a close");
    }

    /**
     * Checks that the connection is usable and in step: one more request gets its own answer, and
     * not a byte is between the answers or after the last. Ends the connection.
     */
    public void expectInStep() {
        send(Request.get(Target.STATUS).header("Connection: close"));
        receive().expectStatus(200);
        expectClosed();
    }

    /** Checks that the server either closed, or stayed in step. */
    public void expectClosedOrInStep() {
        send(Request.get(Target.STATUS).header("Connection: close"));
        try {
            receive().expectStatus(200);
        } catch (NoAnswer closed) {
            if (closed.closedBeforeFirstByte()) {
                return;
            }
            throw closed;
        }
        expectClosed();
    }

    /** Drops the connection with a reset, as a client that crashed. */
    public void reset() {
        transcript.asked(number, node, "(the client resets the connection)");
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException _) {
            // Closed already.
        }
        close();
    }

    /** Checks that nothing has come so far that belongs to no request. */
    public void expectNothingUnread() {
        if (in.hasUnread()) {
            throw failed(
                    new Mismatch("exactly one response to each request", "more bytes than that"));
        }
    }

    @Override
    public void close() {
        closeQuietly(socket);
    }

    private Response readChunked(ResponseHead head) {
        var chunks = new ArrayList<byte[]>();
        var body = new ByteArrayOutputStream();
        for (var chunk = bodies.nextChunk(); chunk.isPresent(); chunk = bodies.nextChunk()) {
            chunks.add(chunk.get());
            body.writeBytes(chunk.get());
        }
        return new Response(head, body.toByteArray(), chunks);
    }

    private Response record(Supplier<Response> reading) {
        in.startMessage();
        var response = recordFailure(reading);
        transcript.answered(number, response.summary());
        return response;
    }

    private <T> T recordFailure(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (Mismatch mismatch) {
            throw failed(mismatch);
        }
    }

    private Mismatch failed(Mismatch mismatch) {
        transcript.answered(number, mismatch.got());
        return mismatch;
    }

    /** How many bytes {@link #send} would send. */
    public int lengthOf(Request request) {
        return request.bytes(host()).length;
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
