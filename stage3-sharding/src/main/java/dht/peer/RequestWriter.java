package dht.peer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.RequestTrace;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import one.nio.net.Socket;

/**
 * Writes requests to another node, one after the other. They all pass through one buffer: the first
 * write to the socket contains the head and as much of the value as fits, and further writes
 * contain the rest.
 *
 * <p>Used by one thread at a time. Any thread may read how many bytes were sent.
 */
final class RequestWriter {
    /**
     * A value of up to this size is written at once, with its head. If all earlier requests on the
     * connection are answered, the socket's send buffer has room for it, so the write does not wait
     * for the node.
     */
    static final int SHORT_VALUE_BYTES_MAX = 4 << 10;

    private static final int BUFFER_BYTES = 32 << 10;

    private static final byte[] GET = "GET ".getBytes(ISO_8859_1);
    private static final byte[] PUT = "PUT ".getBytes(ISO_8859_1);
    private static final byte[] DELETE = "DELETE ".getBytes(ISO_8859_1);
    private static final byte[] TARGET = (Peer.ENTITY_PATH + "?id=").getBytes(ISO_8859_1);
    private static final byte[] TIMESTAMP =
            ("&" + Peer.TIMESTAMP_PARAMETER + "=").getBytes(ISO_8859_1);
    private static final byte[] FROM = ("&" + Peer.FROM_PARAMETER + "=").getBytes(ISO_8859_1);
    private static final byte[] NUMBERS =
            ("&" + RequestTrace.NUMBERS_PARAMETER + "=").getBytes(ISO_8859_1);
    private static final byte[] CONTENT_LENGTH = "Content-Length: ".getBytes(ISO_8859_1);
    private static final byte[] END_OF_LINE = "\r\n".getBytes(ISO_8859_1);

    private final byte[] headers;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int filled;

    private volatile long sentBytes;

    /**
     * @param internal where the node listens for other nodes
     */
    RequestWriter(NodeAddress node, NodeAddress internal, Credentials credentials) {
        byte[] host =
                (" HTTP/1.1\r\nHost: " + internal.host() + ':' + internal.port() + "\r\n")
                        .getBytes(ISO_8859_1);
        byte[] credentialLines = credentials.headerLines(node);
        this.headers = new byte[host.length + credentialLines.length];
        System.arraycopy(host, 0, headers, 0, host.length);
        System.arraycopy(credentialLines, 0, headers, host.length, credentialLines.length);
    }

    /**
     * Whether the request can be written without waiting for the node, provided that all earlier
     * requests on the connection are answered.
     */
    static boolean isShort(EntityRequest request) {
        return !(request instanceof EntityRequest.Put put)
                || put.value().byteSize() <= SHORT_VALUE_BYTES_MAX;
    }

    /**
     * Writes the whole request.
     *
     * @throws IOException if the connection breaks, or is closed by another thread
     */
    void send(Socket socket, PeerCall call) throws IOException {
        sentBytes = 0;
        filled = 0;
        switch (call.request()) {
            case EntityRequest.Get _ -> {
                putLine(GET, call);
                put(END_OF_LINE);
                write(socket);
            }
            case EntityRequest.Delete _ -> {
                putLine(DELETE, call);
                put(END_OF_LINE);
                write(socket);
            }
            case EntityRequest.Put put -> {
                putLine(PUT, call);
                put(CONTENT_LENGTH);
                put(Long.toString(put.value().byteSize()).getBytes(ISO_8859_1));
                put(END_OF_LINE);
                put(END_OF_LINE);
                writeWith(socket, put.value());
            }
        }
    }

    /** How many bytes were sent since {@link #send} was last called, head included. */
    long sentBytes() {
        return sentBytes;
    }

    private void putLine(byte[] method, PeerCall call) {
        put(method);
        put(TARGET);
        filled = PercentEncoder.encode(call.request().key(), buffer, filled);
        putNumber(TIMESTAMP, call.timestampMicros());
        putNumber(FROM, call.request().from());
        putNumber(NUMBERS, RequestTrace.of(call.request()).number());
        put(headers);
    }

    /** Puts a parameter, unless it is 0. */
    private void putNumber(byte[] parameter, long number) {
        if (number > 0) {
            put(parameter);
            put(Long.toString(number).getBytes(ISO_8859_1));
        }
    }

    private void put(byte[] bytes) {
        System.arraycopy(bytes, 0, buffer, filled, bytes.length);
        filled += bytes.length;
    }

    /** Writes the contents of the buffer, followed by a value. */
    private void writeWith(Socket socket, MemorySegment value) throws IOException {
        long copied = 0;
        do {
            int length = (int) Math.min(buffer.length - filled, value.byteSize() - copied);
            MemorySegment.copy(value, ValueLayout.JAVA_BYTE, copied, buffer, filled, length);
            filled += length;
            copied += length;
            write(socket);
            filled = 0;
        } while (copied < value.byteSize());
    }

    private void write(Socket socket) throws IOException {
        int written = 0;
        while (written < filled) {
            int length = socket.write(buffer, written, filled - written, 0);
            written += length;
            sentBytes += length;
        }
    }
}
