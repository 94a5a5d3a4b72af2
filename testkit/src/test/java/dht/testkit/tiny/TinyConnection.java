package dht.testkit.tiny;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.testkit.tiny.TinyRequest.Fault;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** One connection: requests in, answers out, one after the other. Any thread may close it. */
final class TinyConnection implements Runnable {
    private static final int HEAD_BYTES_MAX = 32 << 10;

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
            var in = new BufferedInputStream(socket.getInputStream());
            var out = new BufferedOutputStream(socket.getOutputStream());
            while (serveOne(in, out) && !server.isStopping()) {
                // The next one.
            }
        } catch (IOException _) {
            // The client is gone, or the server stops.
        }
    }

    /** False at the end of the connection. */
    private boolean serveOne(InputStream in, OutputStream out) throws IOException {
        var request = new TinyRequest("GET", "/", "", false, List.of());
        try {
            request = TinyRequest.parse(readHead(in));
            var body = readBody(request, in, out);
            return serve(request, body, out);
        } catch (Fault outOfStep) {
            server.send(out, request, error(outOfStep));
            return false;
        }
    }

    private boolean serve(TinyRequest request, byte[] body, OutputStream out)
            throws IOException, Fault {
        setBusy(true);
        try {
            var answer = answer(request, body);
            server.send(out, request, answer);
            return request.keepsAlive()
                    && (answer.status() != 400 || server.staysOpenAfter(new Fault(400, "")));
        } finally {
            setBusy(false);
        }
    }

    private TinyAnswer answer(TinyRequest request, byte[] body) throws IOException {
        try {
            return server.answer(request, body);
        } catch (Fault fault) {
            return error(fault);
        }
    }

    private static TinyAnswer error(Fault fault) {
        return TinyAnswer.error(fault.status, fault.getMessage());
    }

    private List<String> readHead(InputStream in) throws IOException, Fault {
        var lines = new ArrayList<String>();
        var line = new ByteArrayOutputStream();
        for (var count = 0; count < HEAD_BYTES_MAX; count++) {
            var b = in.read();
            if (b < 0) {
                throw new EOFException();
            }
            if (b != '\n') {
                line.write(b);
                continue;
            }
            var text = line.toString(ISO_8859_1).stripTrailing();
            if (text.isEmpty() && !lines.isEmpty()) {
                return lines;
            }
            lines.add(text);
            line.reset();
        }
        throw new Fault(431, "the head is longer than %d bytes".formatted(HEAD_BYTES_MAX));
    }

    private byte[] readBody(TinyRequest request, InputStream in, OutputStream out)
            throws IOException, Fault {
        var length = request.contentLength();
        if (length > server.valueBytesMax()) {
            throw new Fault(
                    413, "the value is larger than %d bytes".formatted(server.valueBytesMax()));
        }
        if (length > 0 && request.header("Expect").isPresent()) {
            server.sendContinue(out);
            out.flush();
        }
        var body = in.readNBytes((int) length);
        if (body.length < length) {
            throw new EOFException();
        }
        return body;
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
            // Gone already.
        }
    }
}
