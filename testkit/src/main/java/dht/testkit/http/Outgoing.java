package dht.testkit.http;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A writer of the bytes to a server, in order. Bytes that may not fit into the buffers of the
 * socket are written by another thread, so that the caller can read the answer at the same time.
 *
 * <p>A failed write is ignored: the server may answer and close before it has read everything. For
 * one thread at a time.
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

    /** Closes the sending side; the answer can still be read. */
    void finish() {
        sent = sent.thenRun(this::shutDown);
    }

    private void shutDown() {
        try {
            socket.shutdownOutput();
        } catch (IOException _) {
            // The server has already closed the connection.
        }
    }

    private void write(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException _) {
            // The server has closed the connection; its answer can still be read.
        }
    }
}
