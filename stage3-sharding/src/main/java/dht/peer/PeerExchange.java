package dht.peer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.TooLarge;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketTimeoutException;
import one.nio.net.Socket;

/**
 * One request to another node and its answer, one after the other, through a buffer that all share.
 * A value that fits is sent along with the head, and read where it has come in; a larger one goes
 * through the buffer piece by piece, and is read into an array of its own.
 *
 * <p>Used by one thread at a time.
 */
final class PeerExchange {
    /** Less than from which on values are sent from where they lie: smaller ones are copied. */
    static final int BUFFER_BYTES = 64 << 10;

    /** A node that is slower than this isn't waited for. */
    private static final int BYTES_PER_TIMEOUT = 1 << 20;

    private static final byte[] GET = "GET ".getBytes(ISO_8859_1);
    private static final byte[] PUT = "PUT ".getBytes(ISO_8859_1);
    private static final byte[] DELETE = "DELETE ".getBytes(ISO_8859_1);
    private static final byte[] TARGET = (Peer.ENTITY_PATH + "?id=").getBytes(ISO_8859_1);
    private static final byte[] CONTENT_LENGTH = "Content-Length: ".getBytes(ISO_8859_1);
    private static final byte[] END_OF_LINE = "\r\n".getBytes(ISO_8859_1);

    private final byte[] headers;
    private final long timeoutNanos;
    private final MemoryBudget answerMemory;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final AnswerHead head = new AnswerHead(buffer);

    // Of the exchange at hand.
    private int filled;
    private long beganNanos;
    private long movedBytes;
    private boolean answerBegun;
    private boolean inStep;
    private byte[] parameters;
    private PeerAnswer answer;

    /**
     * @param timeoutNanos for the whole of an exchange, and once more for each {@value
     *     #BYTES_PER_TIMEOUT} bytes that have come or gone
     * @param answerMemory of what doesn't fit into the buffer
     */
    PeerExchange(
            NodeAddress node,
            Credentials credentials,
            long timeoutNanos,
            MemoryBudget answerMemory) {
        byte[] host =
                (" HTTP/1.1\r\nHost: " + node.host() + ':' + node.port() + "\r\n")
                        .getBytes(ISO_8859_1);
        byte[] shown = credentials.headerLines();
        this.headers = new byte[host.length + shown.length];
        System.arraycopy(host, 0, headers, 0, host.length);
        System.arraycopy(shown, 0, headers, host.length, shown.length);
        this.timeoutNanos = timeoutNanos;
        this.answerMemory = answerMemory;
    }

    /**
     * Sends and receives.
     *
     * @param parameters that go behind the key, such as {@code &timestamp=1}, or empty
     * @throws SocketTimeoutException if the node says nothing, or no more, in time
     * @throws IOException if the connection breaks, or what comes is no answer
     */
    void run(Socket socket, EntityRequest request, String parameters) throws IOException {
        beganNanos = System.nanoTime();
        movedBytes = 0;
        answerBegun = false;
        inStep = false;
        answer = null;
        this.parameters = parameters.getBytes(ISO_8859_1);
        send(socket, request);
        receive(socket);
    }

    /** Whether any byte of an answer has come. */
    boolean hasAnswerBegun() {
        return answerBegun;
    }

    /** Whether the connection is good for another exchange. */
    boolean isInStep() {
        return inStep;
    }

    PeerAnswer answer() {
        return answer;
    }

    private void send(Socket socket, EntityRequest request) throws IOException {
        filled = 0;
        switch (request) {
            case EntityRequest.Get get -> {
                putLine(GET, get.key());
                put(END_OF_LINE);
                write(socket);
            }
            case EntityRequest.Delete delete -> {
                putLine(DELETE, delete.key());
                put(END_OF_LINE);
                write(socket);
            }
            case EntityRequest.Put put -> {
                putLine(PUT, put.key());
                put(CONTENT_LENGTH);
                put(Long.toString(put.value().byteSize()).getBytes(ISO_8859_1));
                put(END_OF_LINE);
                put(END_OF_LINE);
                writeWith(socket, put.value());
            }
        }
    }

    private void putLine(byte[] method, byte[] key) {
        put(method);
        put(TARGET);
        filled = PercentEncoder.encode(key, buffer, filled);
        put(parameters);
        put(headers);
    }

    private void put(byte[] bytes) {
        System.arraycopy(bytes, 0, buffer, filled, bytes.length);
        filled += bytes.length;
    }

    /** Writes what is in the buffer, and a value behind it. */
    private void writeWith(Socket socket, MemorySegment value) throws IOException {
        long sent = 0;
        do {
            int length = (int) Math.min(buffer.length - filled, value.byteSize() - sent);
            MemorySegment.copy(value, ValueLayout.JAVA_BYTE, sent, buffer, filled, length);
            filled += length;
            sent += length;
            checkTime();
            write(socket);
            filled = 0;
        } while (sent < value.byteSize());
    }

    private void write(Socket socket) throws IOException {
        int written = socket.write(buffer, 0, filled, 0);
        while (written < filled) {
            checkTime();
            written += socket.write(buffer, written, filled - written, 0);
        }
        movedBytes += written;
    }

    private void receive(Socket socket) throws IOException {
        filled = 0;
        do {
            read(socket);
        } while (!head.parse(filled));
        int bodyBytes = head.bodyBytes();
        int bodyStart = head.length();
        if (bodyStart + bodyBytes <= buffer.length) {
            while (filled < bodyStart + bodyBytes) {
                read(socket);
            }
            inStep = !head.saysClose();
            MemorySegment body = MemorySegment.ofArray(buffer).asSlice(bodyStart, bodyBytes);
            answer = new Answered(head.status(), head.timestampMicros(), body, () -> {});
        } else if (answerMemory.tryTake(bodyBytes)) {
            receiveLarge(socket, bodyStart, bodyBytes);
        } else {
            answer = new TooLarge();
        }
    }

    private void receiveLarge(Socket socket, int bodyStart, int bodyBytes) throws IOException {
        try {
            byte[] body = new byte[bodyBytes];
            int received = filled - bodyStart;
            System.arraycopy(buffer, bodyStart, body, 0, received);
            while (received < bodyBytes) {
                checkTime();
                int length = socket.read(body, received, bodyBytes - received, 0);
                received += length;
                movedBytes += length;
            }
            inStep = !head.saysClose();
            answer =
                    new Answered(
                            head.status(),
                            head.timestampMicros(),
                            MemorySegment.ofArray(body),
                            () -> answerMemory.giveBack(bodyBytes));
        } finally {
            if (answer == null) {
                answerMemory.giveBack(bodyBytes);
            }
        }
    }

    private void read(Socket socket) throws IOException {
        if (answerBegun) {
            checkTime();
        }
        filled += socket.read(buffer, filled, buffer.length - filled, 0);
        answerBegun = true;
    }

    /** Before waiting for more: whether the node has been quick enough with what has moved. */
    private void checkTime() throws SocketTimeoutException {
        long timeouts = 1 + movedBytes / BYTES_PER_TIMEOUT;
        if (System.nanoTime() - beganNanos > timeouts * timeoutNanos) {
            throw new SocketTimeoutException("no whole answer in time");
        }
    }
}
