package dht.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dht.testkit.concurrent.ClientThreads;
import dht.testkit.junit.CapturedErr;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/**
 * Many connections open and close. Meanwhile one-nio's clean-up thread, which looks at all
 * connections from time to time unless that is switched off, is woken again and again, as if that
 * time had passed.
 */
@Timeout(60)
@ResourceLock(Resources.SYSTEM_ERR)
class ConnectionChurnTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int IDLE_CONNECTIONS = 300;
    private static final int CLIENTS = 4;
    private static final int CONNECTIONS_PER_CLIENT = 300;
    private static final HttpOptions OPTIONS =
            new HttpOptions(
                    2,
                    10_000,
                    8192,
                    100,
                    1 << 20,
                    1 << 20,
                    4,
                    PATIENCE,
                    PATIENCE,
                    1,
                    PATIENCE,
                    Duration.ofMillis(100));

    @RegisterExtension private final CapturedErr err = new CapturedErr();

    @Test
    void connections_openAndCloseWhileTheCleanUpThreadIsWoken_areServedWithoutAWord()
            throws IOException {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        List<Socket> idle = new ArrayList<>();
        try (HttpServer server = start()) {
            Thread cleanUp = cleanUpThread(before);
            for (int i = 0; i < IDLE_CONNECTIONS; i++) {
                idle.add(connect(server));
            }
            AtomicInteger running = new AtomicInteger(CLIENTS);
            try (ClientThreads clients =
                    ClientThreads.start(
                            CLIENTS,
                            _ -> {
                                try {
                                    openAndClose(server);
                                } finally {
                                    running.decrementAndGet();
                                }
                            })) {
                while (running.get() > 0 && cleanUp.isAlive()) {
                    wake(cleanUp);
                }
                clients.join(PATIENCE);
            }

            assertThat(cleanUp.isAlive()).isTrue();
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
        assertThat(err.toString()).isEmpty();
    }

    private static HttpServer start() throws IOException {
        JavaSockets.choose();
        Router router =
                Router.forNode(
                        null, (_, _) -> {}, RequestExecutor.inline(), OPTIONS); // No storage.
        HttpServer server = new HttpServer(ListenAddress.free("127.0.0.1", 0), OPTIONS, router);
        server.start();
        return server;
    }

    private static Thread cleanUpThread(Set<Thread> before) {
        Set<Thread> started = new HashSet<>(Thread.getAllStackTraces().keySet());
        started.removeAll(before);
        return started.stream()
                .filter(thread -> thread.getName().equals("NIO Cleanup"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no clean-up thread among " + started));
    }

    /** Ends its wait, which is one on its own monitor. */
    private static void wake(Thread thread) {
        synchronized (thread) {
            thread.notifyAll();
        }
    }

    private static void openAndClose(HttpServer server) throws IOException {
        for (int i = 0; i < CONNECTIONS_PER_CLIENT; i++) {
            try (Socket socket = connect(server)) {
                socket.setSoLinger(true, 0); // Otherwise ports would be used up.
                socket.getOutputStream()
                        .write("GET /v0/status HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(ISO_8859_1));
                assertThat(new String(socket.getInputStream().readNBytes(15), ISO_8859_1))
                        .isEqualTo("HTTP/1.1 200 OK");
            }
        }
    }

    private static Socket connect(HttpServer server) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), URI.create(server.url()).getPort());
    }
}
