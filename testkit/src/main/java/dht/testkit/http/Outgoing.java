package dht.testkit.http;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The bytes that go to a server, in order. What may not fit the socket's buffers is sent beside the
 * caller, who can read the answer meanwhile.
 *
 * <p>A failed write is no failure of a test: the server may have answered and closed before it had
 * read all. One thread at a time.
 */
final class Outgoing {
    private static final int FITS_ANY_BUFFER_BYTES = 8 << 10;
    private static final Executor BESIDE = Thread::startVirtualThread;

    private final Socket socket;
    private CompletableFuture<Void> sent = CompletableFuture.completedFuture(null);

    Outgoing(Socket socket) {
        this.socket = socket;
    }

    void send(byte[] bytes) {
        if (bytes.length <= FITS_ANY_BUFFER_BYTES && sent.isDone()) {
            write(bytes);
        } else {
            sent = sent.thenRunAsync(() -> write(bytes), BESIDE);
        }
    }

    /** Ends the stream; the answer can still be read. */
    void finish() {
        sent = sent.thenRun(this::shutDown);
    }

    private void shutDown() {
        try {
            socket.shutdownOutput();
        } catch (IOException _) {
            // The server has closed already.
        }
    }

    private void write(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException _) {
            // The server has closed; what it said before that is still to be read.
        }
    }
}
