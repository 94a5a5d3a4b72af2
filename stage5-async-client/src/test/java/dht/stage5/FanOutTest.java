package dht.stage5;

import static dht.peer.async.StubNode.bytes;
import static dht.peer.async.StubNode.readHead;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.NodeAddress;
import dht.command.RunningServer;
import dht.command.StageCommand;
import dht.peer.async.StubNode;
import dht.testkit.node.Ports;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A coordinator between two replicas that send the answers that a test wants, when it wants. */
class FanOutTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String STORED = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n";
    private static final String ABSENT = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    private static final String BROKEN =
            "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 3\r\n\r\nbad";
    private static final String GREETING = " /internal/v0/node ";
    private static final Pattern LENGTH = Pattern.compile("Content-Length: (\\d+)");
    private static final Pattern STAMP = Pattern.compile("timestamp=(\\d+)");

    /** A replica that gives the same answer to all requests, or no answer. */
    private final class Other implements AutoCloseable {
        private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
        private final StubNode node;
        private volatile String answer = STORED;
        private volatile boolean silent;
        private volatile CyclicBarrier together; // Null where it waits for nobody.

        Other() throws IOException {
            node =
                    new StubNode(
                            (in, out, _) -> {
                                while (true) {
                                    String head = readHead(in);
                                    in.readNBytes(bodyBytes(head));
                                    if (head.contains(GREETING)) {
                                        out.write(bytes(ABSENT));
                                        out.flush();
                                    } else {
                                        asked.add(head);
                                        answer(out);
                                    }
                                }
                            });
        }

        private void answer(OutputStream out) throws Exception {
            if (silent) {
                over.await();
            }
            if (together != null) {
                together.await();
            }
            out.write(bytes(answer));
            out.flush();
        }

        private static int bodyBytes(String head) {
            Matcher length = LENGTH.matcher(head);
            return length.find() ? Integer.parseInt(length.group(1)) : 0;
        }

        String nextAsked() throws InterruptedException {
            String head = asked.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(head).as("it was not asked").isNotNull();
            return head;
        }

        @Override
        public void close() throws IOException {
            node.close();
        }
    }

    @TempDir private Path directory;
    private final CountDownLatch over = new CountDownLatch(1);
    private final HttpClient client = HttpClient.newHttpClient();
    private Other first;
    private Other second;
    private final Ports.Lease lease = Ports.lease();
    private RunningServer server;

    @BeforeEach
    void openReplicas() throws IOException {
        first = new Other();
        second = new Other();
    }

    private void start(String... more) throws IOException {
        int port = lease.port();
        String self = "http://127.0.0.1:" + port;
        String cluster =
                String.join(",", self, first.node.address().url(), second.node.address().url());
        Main main = new Main();
        var arguments =
                new java.util.ArrayList<>(
                        List.of(
                                "--port=" + port,
                                "--data=" + directory,
                                "--self=" + self,
                                "--cluster=" + cluster,
                                "--queue-deadline=10s",
                                "--peer-timeout=60s",
                                "--peer-connect-timeout=60s",
                                "--hint-window=0s", // A hint would be one request more.
                                "--read-repair=off",
                                "--repair-interval=0s",
                                "--rebuild=off"));
        arguments.addAll(List.of(more));
        StageCommand.lineOf(main).parseArgs(arguments.toArray(String[]::new));
        server = RunningServer.start(main::start);
    }

    @AfterEach
    void end() throws Exception {
        over.countDown();
        first.close();
        second.close();
        if (server != null) {
            server.close();
        }
        lease.close();
        client.close();
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.timeout(SOON).build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder to(String parameters) {
        return HttpRequest.newBuilder(URI.create(server.url() + "/v0/entity?id=k" + parameters));
    }

    private HttpResponse<String> put(String parameters, String value) throws Exception {
        return send(to(parameters).PUT(HttpRequest.BodyPublishers.ofString(value)));
    }

    private HttpResponse<String> get(String parameters) throws Exception {
        return send(to(parameters).GET());
    }

    private static String found(long stamp, String value) {
        return "HTTP/1.1 200 OK\r\nTimestamp-Micros: %d\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(stamp, value.length(), value);
    }

    private HttpRequest.Builder toCopy(String pathAndParameters) {
        return HttpRequest.newBuilder(
                URI.create(server.url() + "/internal/v0/entity" + pathAndParameters));
    }

    private HttpResponse<String> putInline(String parameters) throws Exception {
        return send(toCopy("/inline?id=k" + parameters).PUT(HttpRequest.BodyPublishers.noBody()));
    }

    @Test
    void copy_whoseValueIsInTheRequestLine_isStored() throws Exception {
        start();
        String stamp = "&timestamp=" + System.currentTimeMillis() * 1000;
        assertThat(putInline(stamp + "&value=X19fPz8_").statusCode()).isEqualTo(201);
        assertThat(send(toCopy("?id=k")).body()).isEqualTo("___???");
    }

    @ParameterizedTest
    @CsvSource({"&value=a*b, must be base64url", "'', is missing"})
    void copy_withoutAValueOrWithNoBase64_isRefused(String parameter, String reason)
            throws Exception {
        start();
        HttpResponse<String> response = putInline("&timestamp=1" + parameter);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("value: " + reason);
    }

    @Test
    void write_withOneReplicaSilent_isAnsweredByTheOthers() throws Exception {
        start();
        first.silent = true;
        assertThat(put("&replicas=2/3", "v").statusCode()).isEqualTo(201);
        first.nextAsked();
        second.nextAsked();
    }

    @Test
    void write_whateverItsAck_goesToAllReplicasUnderOneStamp() throws Exception {
        start();
        assertThat(put("&replicas=1/3", "v").statusCode()).isEqualTo(201);
        Matcher stamp = STAMP.matcher(first.nextAsked());
        assertThat(stamp.find()).isTrue();
        assertThat(second.nextAsked()).contains(stamp.group());
        assertThat(first.asked).isEmpty();
        assertThat(second.asked).isEmpty();
    }

    @Test
    void write_thatCannotReachItsAck_failsWithoutWaitingForTheRest() throws Exception {
        start();
        first.silent = true;
        second.answer = BROKEN;
        HttpResponse<String> response = put("&replicas=3/3", "v");
        assertThat(response.statusCode()).isEqualTo(504);
        assertThat(response.body()).contains(second.node.address().url(), "bad");
    }

    @Test
    void write_thatMeetsANewerVersion_isSentAgainPastIt() throws Exception {
        start();
        long newer = (System.currentTimeMillis() + 3_600_000) * 1000;
        String late = "HTTP/1.1 201 Created\r\nTimestamp-Micros: %d\r\nContent-Length: 0\r\n\r\n";
        first.answer = late.formatted(newer);
        second.answer = late.formatted(newer);
        assertThat(put("&replicas=2/3", "v").statusCode()).isEqualTo(201);
        // Two messages on two connections: either may come first.
        assertThat(Math.max(stamp(first.nextAsked()), stamp(first.nextAsked())))
                .isGreaterThan(newer);
    }

    private static long stamp(String head) {
        Matcher stamp = STAMP.matcher(head);
        assertThat(stamp.find()).isTrue();
        return Long.parseLong(stamp.group(1));
    }

    @Test
    void write_withoutMemoryForItsCopies_waitsForThem() throws Exception {
        start("--connection-memory-max=1M", "--workers=1");
        second.silent = true;
        var request =
                to("&replicas=2/3").PUT(HttpRequest.BodyPublishers.ofString("v".repeat(600 << 10)));
        var response = client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
        second.nextAsked();
        awaitMetric("outcome=\"answered\"," + peer(first) + "} 1.0");
        // The only worker has done the write's own copy when it comes to this one.
        assertThat(send(toCopy("?id=k").GET()).statusCode()).isEqualTo(200);
        assertThat(metrics()).contains("replicated_requests_total{outcome=\"written\"} 0.0");
        assertThat(response).isNotDone();
        over.countDown();
        assertThat(response.get(SOON.toSeconds(), TimeUnit.SECONDS).statusCode()).isEqualTo(201);
    }

    @Test
    void read_always_asksNoMoreThanItNeeds() throws Exception {
        start("--hedge-percentile=off");
        first.answer = ABSENT;
        second.answer = ABSENT;
        for (int i = 1; i <= 10; i++) {
            assertThat(get("&replicas=2/3").statusCode()).isEqualTo(404);
            assertThat(first.asked.size() + second.asked.size()).isEqualTo(i);
        }
    }

    @Test
    void read_ofSeveralVersions_returnsTheNewest() throws Exception {
        start();
        long now = System.currentTimeMillis() * 1000;
        first.answer = found(now - 2, "older");
        second.answer = found(now - 1, "newer");
        HttpResponse<String> response = get("&replicas=3/3");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("newer");
    }

    @Test
    void read_fromAReplicaThatFails_asksAnotherOne() throws Exception {
        start("--hedge-percentile=off");
        Other bad = askedFirst();
        other(bad).answer = ABSENT;
        bad.answer = BROKEN;
        for (int i = 1; i <= 10; i++) {
            assertThat(get("&replicas=2/3").statusCode()).isEqualTo(404);
            assertThat(bad.asked).hasSize(i);
        }
    }

    @Test
    void read_fromAReplicaThatIsLate_asksAnotherOne() throws Exception {
        start();
        Other bad = askedFirst();
        other(bad).answer = ABSENT;
        bad.silent = true;
        for (int i = 0; i < 50; i++) {
            assertThat(get("&replicas=2/3").statusCode()).isEqualTo(404);
        }
        assertThat(bad.asked).isNotEmpty();
        assertThat(metrics()).doesNotContain("reads_hedged_total{outcome=\"asked\"} 0.0");
    }

    /** The node after this one in the order of the cluster. */
    private Other askedFirst() {
        NodeAddress self = NodeAddress.parse(server.url());
        NodeAddress one = first.node.address();
        NodeAddress two = second.node.address();
        boolean isFirstOrLast = self.compareTo(one) < 0 == self.compareTo(two) < 0;
        return isFirstOrLast == one.compareTo(two) < 0 ? first : second;
    }

    private Other other(Other than) {
        return than == first ? second : first;
    }

    private String metrics() throws Exception {
        return send(HttpRequest.newBuilder(URI.create(server.url() + "/metrics"))).body();
    }

    private static String peer(Other other) {
        return "peer=\"" + other.node.address().url() + "\"";
    }

    private void awaitMetric(String line) throws Exception {
        long endNanos = System.nanoTime() + SOON.toNanos();
        while (!metrics().contains(line)) {
            assertThat(System.nanoTime()).as(line).isLessThan(endNanos);
        }
    }

    @Test
    void metrics_tellWhatBecameOfRequestsAndHowManyMessagesTheyTook() throws Exception {
        start();
        assertThat(put("&replicas=3/3", "v").statusCode()).isEqualTo(201);
        String peer = "peer=\"" + first.node.address().url() + "\"} 1.0";
        assertThat(send(HttpRequest.newBuilder(URI.create(server.url() + "/metrics"))).body())
                .contains(
                        "replicated_requests_total{outcome=\"written\"} 1.0",
                        "writes_stamped_anew_total 0.0",
                        "reads_hedged_total{outcome=\"asked\"} 0.0",
                        "hedge_delay_seconds ",
                        "peer_requests_total{outcome=\"answered\"," + peer,
                        "peer_messages_total{" + peer);
    }

    /** Sends exactly one response: a second one would be read as the answer to the next request. */
    @Test
    void response_whenAllAnswersCame_isOne() throws Exception {
        int count = 100;
        start();
        first.together = new CyclicBarrier(2);
        second.together = first.together;
        try (Socket socket = new Socket("127.0.0.1", URI.create(server.url()).getPort())) {
            socket.setSoTimeout((int) SOON.toMillis());
            for (int i = 0; i < count; i++) {
                second.answer = i % 2 == 0 ? STORED : BROKEN;
                ask(socket, "PUT /v0/entity?id=k&replicas=2/3");
                assertThat(readHead(socket.getInputStream())).startsWith("HTTP/1.1 201 ");
            }
            for (Other other : List.of(first, second)) {
                awaitMetric("outcome=\"answered\"," + peer(other) + "} " + count + ".0");
            }
            ask(socket, "GET /v0/status"); // Whose answer is the next, and the last one.
            assertThat(readHead(socket.getInputStream())).startsWith("HTTP/1.1 200 ");
            assertThat(socket.getInputStream().available()).isZero();
        }
        assertThat(metrics())
                .contains("replicated_requests_total{outcome=\"written\"} " + count + ".0");
    }

    private static void ask(Socket socket, String line) throws IOException {
        socket.getOutputStream()
                .write(bytes(line + " HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"));
    }
}
