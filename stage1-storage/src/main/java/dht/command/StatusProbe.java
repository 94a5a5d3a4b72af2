package dht.command;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A program that asks a server on this machine for its status: the health check of a container
 * without {@code curl}. It loads few classes, because it runs every few seconds beside the server.
 * Stateless.
 */
public final class StatusProbe {
    private static final int TIMEOUT_MILLIS = 2_000;
    private static final String REQUEST =
            "GET /v0/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    private static final String HEALTHY = "HTTP/1.1 200";

    private StatusProbe() {}

    /**
     * Takes the port as its argument. The exit code is 0 if the server answers 200, otherwise 1.
     */
    public static void main(String[] args) {
        System.exit(isHealthy(Integer.parseInt(args[0])) ? 0 : 1);
    }

    static boolean isHealthy(int port) {
        try (Socket socket = new Socket()) {
            var loopback = InetAddress.getLoopbackAddress();
            socket.connect(new InetSocketAddress(loopback, port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write(REQUEST.getBytes(US_ASCII));
            byte[] answer = socket.getInputStream().readNBytes(HEALTHY.length());
            return new String(answer, US_ASCII).equals(HEALTHY);
        } catch (IOException e) {
            System.err.println("port=" + port + ": " + e);
            return false;
        }
    }
}
