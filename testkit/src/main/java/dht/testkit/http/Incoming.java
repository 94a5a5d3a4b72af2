package dht.testkit.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.testkit.concurrent.Deadline;
import dht.testkit.transcript.Mismatch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/**
 * A reader of the bytes that a server sends. Each message has its own deadline. For one thread at a
 * time.
 *
 * <p>A reset counts as the end of the stream: both mean that the server is gone.
 */
final class Incoming {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int LINE_BYTES_MAX = 64 << 10;

    private final Socket socket;
    private final InputStream in;
    private final Duration patience;
    private final byte[] buffer = new byte[BUFFER_BYTES];

    private int position;
    private int limit;
    private boolean reset;
    private Deadline deadline;
    private long messageBytes;

    Incoming(Socket socket, Duration patience) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
        this.patience = patience;
        startMessage();
    }

    /** Starts the time limit of a new message. */
    void startMessage() {
        deadline = Deadline.in(patience);
        messageBytes = 0;
    }

    /** Reads a line, and returns it without its CRLF. */
    String line() {
        var line = new ByteArrayOutputStream(80);
        for (var b = required(); b != '\n'; b = required()) {
            line.write(b);
            if (line.size() > LINE_BYTES_MAX) {
                throw new Mismatch(
                        "a line of at most %,d bytes".formatted(LINE_BYTES_MAX), "a longer one");
            }
        }
        var text = line.toString(ISO_8859_1);
        if (!text.endsWith("\r")) {
            throw new Mismatch(
                    "lines that end with CRLF", "a line that ends with LF alone: " + text);
        }
        return text.substring(0, text.length() - 1);
    }

    byte[] exactly(int count) {
        var bytes = new byte[count];
        for (var filled = 0; filled < count; ) {
            var part = Math.min(count - filled, awaitByte());
            System.arraycopy(buffer, position, bytes, filled, part);
            position += part;
            messageBytes += part;
            filled += part;
        }
        return bytes;
    }

    /** Reads everything until the server closes the connection. */
    byte[] untilEnd(int bytesMax) {
        var out = new ByteArrayOutputStream();
        while (position < limit || fill()) {
            out.write(buffer, position, limit - position);
            position = limit;
            if (out.size() > bytesMax) {
                throw new Mismatch("at most %,d bytes".formatted(bytesMax), "more");
            }
        }
        return out.toByteArray();
    }

    /** Whether bytes have arrived that were not read. */
    boolean hasUnread() {
        try {
            return position < limit || in.available() > 0;
        } catch (IOException _) {
            return false;
        }
    }

    /**
     * Waits until bytes have arrived, and does not read them.
     *
     * @return how many bytes can be read
     */
    int awaitByte() {
        if (position == limit && !fill()) {
            throw ended();
        }
        return limit - position;
    }

    private int required() {
        awaitByte();
        messageBytes++;
        return buffer[position++];
    }

    /** Reads bytes into the empty buffer. Returns false at the end of the stream. */
    private boolean fill() {
        try {
            socket.setSoTimeout((int) Math.max(1, deadline.left().toMillis()));
            position = 0;
            limit = Math.max(0, in.read(buffer));
            return limit > 0;
        } catch (SocketTimeoutException _) {
            limit = 0;
            throw new NoAnswer(
                    NoAnswer.Kind.SILENCE,
                    "a complete answer within " + Deadline.words(patience),
                    arrived() + ", then silence");
        } catch (IOException _) {
            limit = 0;
            reset = true;
            return false;
        }
    }

    private NoAnswer ended() {
        var how = reset ? "then the connection was reset" : "then the connection was closed";
        var kind =
                messageBytes == 0
                        ? NoAnswer.Kind.CLOSED_BEFORE_FIRST_BYTE
                        : NoAnswer.Kind.CLOSED_WITHIN;
        return new NoAnswer(kind, "a complete answer", arrived() + ", " + how);
    }

    private String arrived() {
        return messageBytes == 0 ? "not one byte" : "%,d bytes".formatted(messageBytes);
    }
}
