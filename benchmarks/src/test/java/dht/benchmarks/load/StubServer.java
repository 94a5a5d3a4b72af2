package dht.benchmarks.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** An HTTP server that answers as a test says. A thread a connection. Thread-safe. */
public final class StubServer implements AutoCloseable {
    public static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    /** Answers a request. */
    @FunctionalInterface
    public interface Answer {
        /**
         * The bytes of the answer; null for none, and the connection closed.
         *
         * @param index of the request among all, from 0
         */
        String to(int index, Received request) throws InterruptedException;
    }

    /**
     * A request as it came.
     *
     * @param line method and target, as in {@code GET /v0/status}
     * @param head all of it, with its line
     */
    public record Received(int connection, String line, String head, String body) {}

    private final ServerSocket listener;
    private final Answer answer;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Queue<Received> received = new ConcurrentLinkedQueue<>();
    private final AtomicInteger requestCount = new AtomicInteger();

    public StubServer(Answer answer) throws IOException {
        this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        this.answer = answer;
        Thread.ofVirtual().start(this::accept);
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    public Queue<Received> received() {
        return received;
    }

    private void accept() {
        for (int connection = 0; ; connection++) {
            int number = connection;
            try {
                Socket socket = listener.accept();
                sockets.add(socket);
                Thread.ofVirtual().start(() -> serve(number, socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(int connection, Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            while (true) {
                Received request = read(connection, in);
                if (request == null) {
                    return;
                }
                received.add(request);
                String text = answer.to(requestCount.getAndIncrement(), request);
                if (text == null) {
                    return;
                }
                out.write(text.getBytes(ISO_8859_1));
            }
        } catch (IOException | InterruptedException e) {
            // The client or the test has gone.
        } finally {
            sockets.remove(socket);
        }
    }

    private static Received read(int connection, InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int b = in.read();
            if (b < 0) {
                return null;
            }
            head.append((char) b);
        }
        String line = head.substring(0, head.indexOf(" HTTP/1.1"));
        int lengthAt = head.indexOf("Content-Length: ");
        int length =
                lengthAt < 0
                        ? 0
                        : Integer.parseInt(
                                head.substring(
                                        lengthAt + "Content-Length: ".length(),
                                        head.indexOf("\r\n", lengthAt)));
        String body = new String(in.readNBytes(length), ISO_8859_1);
        return new Received(connection, line, head.toString(), body);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
