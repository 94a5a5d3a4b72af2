package dht.benchmarks.floor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dht.benchmarks.load.WorkloadSettings;
import dht.command.ResourceStack;
import dht.command.RunningServer;
import dht.http.ListenAddress;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class BareServerTest {
    private static final String FORCE_JAVA_SOCKETS = "one.nio.net.force.java.socket";
    private static final int VALUE_BYTES = 100;
    private static final WorkloadSettings SETTINGS =
            WorkloadSettings.of(
                    Map.of("VALUE_BYTES", String.valueOf(VALUE_BYTES), "RANGE_LENGTH", "3"), 1);
    private static final Client.Answer VALUE = new Client.Answer(200, VALUE_BYTES);
    private static final Client.Answer STORED = new Client.Answer(201, 0);
    private static final Client.Answer DELETED = new Client.Answer(202, 0);

    @ParameterizedTest
    @EnumSource
    void server_ofAnyRequest_answersAsLongAsAStage(HttpLibrary library) throws Exception {
        try (RunningServer server = start(library);
                Client client = new Client(server.url())) {
            assertThat(client.ask("GET", "/v0/entity?id=a")).isEqualTo(VALUE);
            assertThat(client.ask("PUT", "/v0/entity?id=a")).isEqualTo(STORED);
            assertThat(client.ask("DELETE", "/v0/entity?id=a")).isEqualTo(DELETED);
            assertThat(client.ask("GET", "/v0/entities?start=a"))
                    .isEqualTo(new Client.Answer(200, 3 * (13 + VALUE_BYTES)));
            assertThat(client.ask("GET", "/v0/status")).isEqualTo(new Client.Answer(200, 0));
        }
    }

    /** What is left of a body would be taken for the next request. */
    @ParameterizedTest
    @EnumSource
    void server_ofBodiesOfEachLength_readsThemWhole(HttpLibrary library) throws Exception {
        try (RunningServer server = start(library);
                Client client = new Client(server.url())) {
            for (int bytes : new int[] {1, 128, 1 << 20}) {
                client.send("PUT", "/v0/entity?id=a", new byte[bytes]);

                assertThat(client.receive()).as(bytes + " bytes").isEqualTo(STORED);
                assertThat(client.ask("GET", "/v0/entity?id=a")).isEqualTo(VALUE);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void server_ofAHundredRequests_keepsTheConnection(HttpLibrary library) throws Exception {
        try (RunningServer server = start(library);
                Client client = new Client(server.url())) {
            for (int i = 0; i < 100; i++) {
                assertThat(client.ask("GET", "/v0/entity?id=" + i)).isEqualTo(VALUE);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void server_ofRequestsSentAtOnce_answersInTheirOrder(HttpLibrary library) throws Exception {
        try (RunningServer server = start(library);
                Client client = new Client(server.url())) {
            client.sendAtOnce(
                    "PUT /v0/entity?id=a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
                    "GET /v0/entity?id=a HTTP/1.1\r\nHost: a\r\n\r\n",
                    "DELETE /v0/entity?id=a HTTP/1.1\r\nHost: a\r\n\r\n");

            assertThat(List.of(client.receive(), client.receive(), client.receive()))
                    .containsExactly(STORED, VALUE, DELETED);
        }
    }

    @ParameterizedTest
    @EnumSource
    void server_ofManyConnections_answersEach(HttpLibrary library) throws Exception {
        try (RunningServer server = start(library);
                ResourceStack resources = new ResourceStack()) {
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                clients.add(resources.open(() -> new Client(server.url())));
            }
            for (int round = 0; round < 10; round++) {
                for (Client client : clients) {
                    client.send("PUT", "/v0/entity?id=a", new byte[VALUE_BYTES]);
                }
                for (Client client : clients) {
                    assertThat(client.receive()).isEqualTo(STORED);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void close_ofServer_endsItsConnectionsAndFreesItsPort(HttpLibrary library) throws Exception {
        RunningServer server = start(library);
        try (Client client = new Client(server.url())) {
            assertThat(client.ask("GET", "/v0/entity?id=a")).isEqualTo(VALUE);

            server.close();

            assertThat(client.isAtEnd()).isTrue();
            awaitFree(URI.create(server.url()));
        }
    }

    /** Linux gives up a socket of io_uring a moment later; without an end, the test times out. */
    private static void awaitFree(URI url) throws InterruptedException {
        while (true) {
            try {
                ListenAddress.free(url.getHost(), url.getPort());
                return;
            } catch (IOException _) {
                Thread.sleep(1);
            }
        }
    }

    /** Where glibc is 2.38 or later, one-nio would use its native selector otherwise. */
    @Test
    void oneNio_startedByAnyone_usesJavasSelectorAsTheStagesDo() throws Exception {
        String before = System.clearProperty(FORCE_JAVA_SOCKETS);
        try (ResourceStack resources = new ResourceStack()) {
            HttpLibrary.ONE_NIO.start(
                    resources, ListenAddress.free("127.0.0.1", 0), 1, new Answers(SETTINGS));

            assertThat(System.getProperty(FORCE_JAVA_SOCKETS)).isEqualTo("true");
        } finally {
            restore(before);
        }
    }

    @Test
    void clientOfOneNio_openedByAnyone_usesJavasSockets() {
        String before = System.clearProperty(FORCE_JAVA_SOCKETS);
        try (Others others = new OneNioOthers(List.of(URI.create("http://127.0.0.1:1")))) {
            assertThat(System.getProperty(FORCE_JAVA_SOCKETS)).isEqualTo("true");
        } finally {
            restore(before);
        }
    }

    /** So that no other test of this JVM depends on the order. */
    private static void restore(String before) {
        if (before == null) {
            System.clearProperty(FORCE_JAVA_SOCKETS);
        } else {
            System.setProperty(FORCE_JAVA_SOCKETS, before);
        }
    }

    /** Of a process, from outside: the selector that its threads wait in. */
    @Test
    void process_ofOneNio_waitsInJavasSelector() throws Exception {
        Process server = process(List.of(), HttpLibrary.ONE_NIO);
        try (var out = server.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).startsWith("ready http://127.0.0.1:");

            assertThat(threadsOf(server))
                    .contains("one.nio.net.JavaSelector")
                    .doesNotContain("one.nio.net.NativeSelector");
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    private static String threadsOf(Process jvm) throws Exception {
        Process jcmd =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                                String.valueOf(jvm.pid()),
                                "Thread.print")
                        .redirectErrorStream(true)
                        .start();
        String said = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(jcmd.waitFor()).as(said).isZero();
        return said;
    }

    @ParameterizedTest
    @EnumSource(names = {"HELIDON", "JDK", "JDK_VIRTUAL"})
    void selectors_ofLibraryWithoutThem_areRefused(HttpLibrary library) {
        assertThatThrownBy(() -> start(library, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("--selectors=1: only one-nio and Netty have selectors");
    }

    @ParameterizedTest
    @EnumSource
    void process_onSigterm_endsWell(HttpLibrary library) throws Exception {
        assumeAvailable(library);
        Process server = process(List.of(), library);
        try (var out = server.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).startsWith("ready http://127.0.0.1:");

            server.destroy();

            assertThat(server.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(server.exitValue()).isZero();
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NETTY_EPOLL", "NETTY_IO_URING"})
    void process_withoutItsTransport_saysSoOnALine(HttpLibrary library) throws Exception {
        Process server = process(List.of("-Dio.netty.transport.noNative=true"), library);
        try (var err = server.errorReader(StandardCharsets.UTF_8)) {
            List<String> lines = err.lines().toList();

            assertThat(server.waitFor()).isEqualTo(1);
            assertThat(lines).hasSize(1);
            assertThat(lines.getFirst())
                    .startsWith("bare-server: " + library + " is not available on this machine: ");
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    private static RunningServer start(HttpLibrary library) throws IOException {
        assumeAvailable(library);
        return start(library, 0);
    }

    private static RunningServer start(HttpLibrary library, int selectors) throws IOException {
        ListenAddress address = ListenAddress.free("127.0.0.1", 0);
        return RunningServer.start(
                resources -> library.start(resources, address, selectors, new Answers(SETTINGS)));
    }

    /** One that this kernel does not have is listed as not run. */
    private static void assumeAvailable(HttpLibrary library) {
        boolean isThere =
                switch (library) {
                    case NETTY_EPOLL -> NettyTransport.EPOLL.isAvailable();
                    case NETTY_IO_URING -> NettyTransport.IO_URING.isAvailable();
                    case ONE_NIO, NETTY_NIO, HELIDON, JDK, JDK_VIRTUAL -> true;
                };
        assumeTrue(isThere, library + ": not run, since this machine does not have it");
    }

    private static Process process(List<String> jvm, HttpLibrary library) throws IOException {
        Stream<String> java =
                Stream.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"));
        Stream<String> main =
                Stream.of(
                        BareServer.class.getName(), "--server", library.toString(), "--port", "0");
        return new ProcessBuilder(
                        Stream.of(java, jvm.stream(), main).flatMap(each -> each).toList())
                .start();
    }
}
