package dht.peer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dht.cluster.NodeAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A node that sends the answers that a test wants, to one connection after the other or to many at
 * once.
 */
final class StubNode implements AutoCloseable {
    private final ServerSocket listener;
    private final Talk talk;
    private final List<Socket> connections = new CopyOnWriteArrayList<>();

    /** What the node does with a connection. */
    @FunctionalInterface
    interface Talk {
        void with(InputStream in, OutputStream out, int connection) throws Exception;
    }

    StubNode(Talk talk) throws IOException {
        this.talk = talk;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                connections.add(socket);
                int number = connections.size();
                Thread.ofVirtual().start(() -> talk(socket, number));
            }
        } catch (IOException e) {
            return; // Closed.
        }
    }

    private void talk(Socket socket, int number) {
        try (socket) {
            talk.with(socket.getInputStream(), socket.getOutputStream(), number);
        } catch (Exception e) {
            return; // The client has gone, or the test is over.
        }
    }

    NodeAddress address() {
        return new NodeAddress("127.0.0.1", listener.getLocalPort());
    }

    int connectionCount() {
        return connections.size();
    }

    /** Reads a head up to its empty line; returns no bytes at the end of the connection. */
    static String readHead(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int b = in.read();
            if (b < 0) {
                throw new IOException("closed");
            }
            head.append((char) b);
        }
        return head.toString();
    }

    static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket connection : connections) {
            connection.close();
        }
    }
}
