package dht.testkit.tiny;

import dht.testkit.tiny.TinyRequest.Fault;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/**
 * One connection: reads requests and sends answers, one after the other. Any thread may close it.
 */
final class TinyConnection implements Runnable {
    private final TinyServer server;
    private final Socket socket;
    private boolean busy; // Guarded by this: between a request and the end of its answer.

    TinyConnection(TinyServer server, Socket socket) {
        this.server = server;
        this.socket = socket;
    }

    @Override
    public void run() {
        try (socket) {
            socket.setTcpNoDelay(true);
            var in = server.input(socket);
            var out = new BufferedOutputStream(socket.getOutputStream());
            while (serveOne(in, out) && !server.isStopping()) {
                server.betweenRequests(in);
            }
        } catch (IOException _) {
            server.clientIsGone();
        }
    }

    /** Returns false at the end of the connection. */
    private boolean serveOne(InputStream in, OutputStream out) throws IOException {
        TinyRequest request;
        byte[] body;
        try {
            request = server.parse(server.readHead(in));
            body = readBody(request, in, out);
        } catch (Fault outOfStep) {
            return server.answerOutOfStep(out, outOfStep);
        }
        setBusy(true);
        try {
            var answer = server.answerOrFault(request, body);
            server.send(out, request, answer);
            return server.keepsAlive(request, answer);
        } finally {
            setBusy(false);
        }
    }

    private byte[] readBody(TinyRequest request, InputStream in, OutputStream out)
            throws IOException, Fault {
        var length = server.bodyLength(request);
        server.checkSize(length);
        if (length != 0 && request.expectsContinue()) {
            server.sendContinue(out);
            out.flush();
        }
        return length == TinyProtocol.CHUNKED
                ? server.readChunks(in)
                : server.readBody(in, (int) length);
    }

    private synchronized void setBusy(boolean value) {
        busy = value;
    }

    synchronized void closeIfIdle() {
        if (!busy) {
            close();
        }
    }

    void close() {
        try {
            socket.close();
        } catch (IOException _) {
            // It is closed already.
        }
    }
}
