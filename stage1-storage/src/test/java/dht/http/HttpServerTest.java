package dht.http;

import static org.assertj.core.api.Assertions.assertThat;

import dht.storage.StorageOptions;
import dht.storage.TimestampClock;
import dht.storage.file.LocalDirectory;
import dht.storage.lsm.LsmDao;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import one.nio.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpServerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final HttpOptions OPTIONS =
            new HttpOptions(
                    1, 16, 8192, 100, 1 << 20, 1 << 20, 4, PATIENCE, PATIENCE, 1, PATIENCE,
                    PATIENCE);

    /**
     * With Nagle's algorithm a range's second packet waits for the client's acknowledgement of the
     * first, which the client's kernel delays by 40 ms: each range took 44 ms.
     */
    @Test
    void socket_ofANewSession_sendsEachPacketAtOnce(@TempDir Path directory) throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (LsmDao dao = LsmDao.open(LocalDirectory.open(directory), StorageOptions.defaults());
                ServerSocket listening = new ServerSocket(0, 1, loopback);
                Socket socket = Socket.create();
                HttpServer server = server(dao)) {
            socket.connect(loopback, listening.getLocalPort());
            server.createSession(socket);
            assertThat(socket.getNoDelay()).isTrue();
        }
    }

    private static HttpServer server(LsmDao dao) throws IOException {
        RequestExecutor executor = RequestExecutor.inline();
        EntityService service =
                new LocalEntityService(dao, new TimestampClock(InstantSource.system(), 0))
                        .on(executor);
        Router router = Router.forNode(dao, service, executor, OPTIONS);
        return new HttpServer(ListenAddress.free("127.0.0.1", 0), OPTIONS, router);
    }
}
