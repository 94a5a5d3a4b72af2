package dht.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.storage.StorageOptions;
import dht.storage.TimestampClock;
import dht.storage.file.LocalDirectory;
import dht.storage.lsm.LsmDao;
import dht.testkit.concurrent.Deadline;
import dht.testkit.http.Connection;
import dht.testkit.http.Request;
import dht.testkit.http.Target;
import dht.testkit.transcript.Promise;
import dht.testkit.transcript.Transcript;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import one.nio.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpServerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int STOPS = 10;
    private static final int CLIENTS = 8;

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

    /**
     * one-nio closes a selector while its thread works with it. That the thread fails then must not
     * count as a failure: it would end the process with another exit code.
     */
    @Test
    void stop_whileSelectorsAreBusy_isNoFailure(@TempDir Path directory) throws Exception {
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        Thread.setDefaultUncaughtExceptionHandler((_, failure) -> failures.add(failure));
        try (LsmDao dao = LsmDao.open(LocalDirectory.open(directory), StorageOptions.defaults())) {
            for (int i = 0; i < STOPS && failures.isEmpty(); i++) {
                stopWhileBusy(dao);
            }
            assertThat(failures).isEmpty();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    /** Clients announce bodies and send bytes of them until the server has stopped. */
    private static void stopWhileBusy(LsmDao dao) throws IOException {
        try (HttpServer server = server(dao, Duration.ofMillis(5))) {
            server.start();
            stop(server);
        }
    }

    private static void stop(HttpServer server) {
        CountDownLatch begun = new CountDownLatch(CLIENTS);
        try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            for (int i = 0; i < CLIENTS; i++) {
                clients.execute(() -> sendBytes(server, begun));
            }
            Deadline.in(PATIENCE).await("all clients to send", begun);
            server.stop();
        }
    }

    private static void sendBytes(HttpServer server, CountDownLatch begun) {
        URI url = URI.create(server.url());
        try (java.net.Socket socket = new java.net.Socket(url.getHost(), url.getPort())) {
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            out.write(
                    "PUT /v0/entity?id=k HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n"
                            .getBytes(US_ASCII));
            begun.countDown();
            while (true) {
                out.write('a');
            }
        } catch (IOException _) {
            // The server has stopped.
        }
    }

    /** Otherwise each of the two would get some of the connections. */
    @Test
    void start_whereAnotherServerListens_isRefused(@TempDir Path directory) throws Exception {
        EntityService service = (_, responder) -> responder.respond(LocalEntityService.CREATED);
        ListenAddress address = ListenAddress.free("127.0.0.1", 0);
        try (LsmDao dao = LsmDao.open(LocalDirectory.open(directory), StorageOptions.defaults());
                HttpServer first = server(address, dao, service, PATIENCE)) {
            first.start();
            assertThatThrownBy(() -> server(address, dao, service, PATIENCE))
                    .isInstanceOf(BindException.class);
        }
    }

    /** The second request was read together with the first one, or while that was handled. */
    @Test
    void drain_betweenPipelinedRequests_doesNotDropTheSecond(@TempDir Path directory)
            throws Exception {
        BlockingQueue<Responder> begun = new LinkedBlockingQueue<>();
        CountDownLatch mayGoOn = new CountDownLatch(1);
        EntityService service =
                (request, responder) -> {
                    switch (new String(request.key(), US_ASCII)) {
                        case "first" -> begun.add(responder);
                        case "busy" -> {
                            begun.add(responder);
                            Deadline.in(PATIENCE).await("the test to go on", mayGoOn);
                            responder.respond(LocalEntityService.CREATED);
                        }
                        default -> responder.respond(LocalEntityService.CREATED);
                    }
                };
        try (LsmDao dao = LsmDao.open(LocalDirectory.open(directory), StorageOptions.defaults());
                HttpServer server = server(dao, service, PATIENCE)) {
            server.start();
            try (Connection client = connect(server);
                    Connection other = connect(server)) {
                client.send(Request.get(Target.entity("first")));
                Responder first = begun.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                long takenBytes = server.connectionMemoryTakenBytes();
                client.send(Request.get(Target.entity("second")));
                Deadline.in(PATIENCE)
                        .await(
                                "the second request to be read",
                                () -> server.connectionMemoryTakenBytes() > takenBytes);
                other.send(Request.get(Target.entity("busy"))); // Occupies the only selector.
                assertThat(begun.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
                first.respond(LocalEntityService.CREATED);
                first.session().drain();
                mayGoOn.countDown();
                client.receive().expectStatus(201);
                client.receive().expectStatus(201);
            }
        }
    }

    private static Connection connect(HttpServer server) {
        Transcript transcript = new Transcript("server", Promise.ONE_RESPONSE_EACH);
        URI url = URI.create(server.url());
        return Connection.open(url, "node", Connection.DEFAULT_BUFFER, PATIENCE, transcript);
    }

    private static HttpServer server(LsmDao dao) throws IOException {
        return server(dao, PATIENCE);
    }

    private static HttpServer server(LsmDao dao, Duration drainTimeout) throws IOException {
        EntityService service =
                new LocalEntityService(dao, new TimestampClock(InstantSource.system(), 0))
                        .on(RequestExecutor.inline());
        return server(dao, service, drainTimeout);
    }

    private static HttpServer server(LsmDao dao, EntityService service, Duration drainTimeout)
            throws IOException {
        return server(ListenAddress.free("127.0.0.1", 0), dao, service, drainTimeout);
    }

    private static HttpServer server(
            ListenAddress address, LsmDao dao, EntityService service, Duration drainTimeout)
            throws IOException {
        HttpOptions options =
                new HttpOptions(
                        1,
                        16,
                        8192,
                        100,
                        1 << 20,
                        1 << 24,
                        4,
                        PATIENCE,
                        PATIENCE,
                        1,
                        PATIENCE,
                        drainTimeout);
        Router router = Router.forNode(dao, service, RequestExecutor.inline(), options);
        return new HttpServer(address, options, router);
    }
}
