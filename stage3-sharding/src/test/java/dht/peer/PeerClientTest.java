package dht.peer;

import static dht.peer.StubNode.bytes;
import static dht.peer.StubNode.readHead;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.peer.PeerAnswer.Answered;
import dht.peer.PeerAnswer.Silent;
import dht.peer.PeerAnswer.TooLarge;
import dht.peer.PeerAnswer.Unreachable;
import dht.peer.StubNode.Talk;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client against a node that is dead, silent, slow, or talks garbage. */
class PeerClientTest {
    private static final Credentials CREDENTIALS =
            new Credentials(
                    new NodeAddress("self", 1),
                    new Fingerprint("0123456789abcdef"),
                    Optional.of("secret"));
    private static final int LARGE_BYTES = 1 << 20;
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalue";

    private final ConcurrentLinkedQueue<String> heads = new ConcurrentLinkedQueue<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final MemoryBudget memory = new MemoryBudget(LARGE_BYTES);
    private StubNode node;
    private PeerClient client;

    private void start(Talk talk) throws IOException {
        node = new StubNode(talk);
        client = client(node.address(), Duration.ofMillis(300));
    }

    private PeerClient client(NodeAddress address, Duration timeout) {
        PeerOptions options =
                new PeerOptions(
                        1, 1, Duration.ofSeconds(1), timeout, 3, Duration.ofSeconds(1), timeout);
        return new PeerClient(address, CREDENTIALS, options, memory);
    }

    private Talk answering(String answer) {
        return (in, out, _) -> {
            while (true) {
                heads.add(readHead(in));
                out.write(bytes(answer));
                out.flush();
            }
        };
    }

    @AfterEach
    void end() throws IOException {
        over.countDown();
        if (node != null) {
            node.close();
        }
        if (client != null) {
            client.close();
        }
    }

    private static EntityRequest get(String key) {
        return new EntityRequest.Get(key.getBytes(UTF_8), null);
    }

    private static EntityRequest put(byte[] value) {
        return new EntityRequest.Put(bytes("k"), MemorySegment.ofArray(value), null);
    }

    private static void assertAnswered(PeerAnswer answer, int status, String body) {
        assertThat(answer).isInstanceOf(Answered.class);
        Answered answered = (Answered) answer;
        assertThat(answered.status()).isEqualTo(status);
        assertThat(new String(answered.body().toArray(ValueLayout.JAVA_BYTE), UTF_8))
                .isEqualTo(body);
        answered.hold().release();
    }

    @Test
    void ask_again_usesTheSameConnection() throws IOException {
        start(answering(OK));
        for (int i = 0; i < 10; i++) {
            assertAnswered(client.ask(get("k"), ""), 200, "value");
        }
        assertThat(node.connectionCount()).isEqualTo(1);
    }

    @Test
    void ask_forAnyKey_sendsItEncodedWithCredentials() throws IOException {
        start(answering(OK));
        client.ask(get("a b+%/ключ"), "");
        assertThat(heads.poll())
                .startsWith(
                        "GET /internal/v0/entity?id=a%20b%2B%25%2F%D0%BA%D0%BB%D1%8E%D1%87 HTTP/1.1\r\n")
                .contains("Host: 127.0.0.1:" + node.address().port() + "\r\n")
                .contains("Cluster-Topology: 0123456789abcdef http://self:1\r\n")
                .contains("Cluster-Secret: secret\r\n");
    }

    @Test
    void ask_thatIsAnsweredByteByByte_isAnswered() throws IOException {
        start(
                (in, out, _) -> {
                    readHead(in);
                    for (byte b : bytes(OK)) {
                        out.write(b);
                        out.flush();
                    }
                    over.await();
                });
        assertAnswered(client.ask(get("k"), ""), 200, "value");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_000, 65_536, 200_000, LARGE_BYTES})
    void put_ofAnySize_arrivesWholeAndComesBack(int size) throws IOException {
        byte[] value = new byte[size];
        new Random(size).nextBytes(value);
        start(
                (in, out, _) -> {
                    String head = readHead(in);
                    byte[] body = in.readNBytes(contentLength(head));
                    out.write(bytes("HTTP/1.1 200 OK\r\ncontent-length:" + size + "\r\n\r\n"));
                    out.write(body);
                    over.await();
                });
        client.close();
        client = client(node.address(), Duration.ofSeconds(10));

        Answered answered = (Answered) client.ask(put(value), "");

        assertThat(answered.body().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(value);
        answered.hold().release();
        assertThat(memory.tryTake(LARGE_BYTES)).as("memory is given back").isTrue();
    }

    private static int contentLength(String head) {
        return head.lines()
                .filter(line -> line.startsWith("Content-Length: "))
                .mapToInt(line -> Integer.parseInt(line.substring("Content-Length: ".length())))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void ask_whileAllMemoryIsTaken_isTooLarge() throws IOException {
        start(answering("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"));
        assertThat(memory.tryTake(LARGE_BYTES)).isTrue();
        assertThat(client.ask(get("k"), "")).isInstanceOf(TooLarge.class);
        assertThat(memory.tryTake(1)).as("nothing was given back that was not taken").isFalse();
    }

    @Test
    void ask_ofDeadNode_isUnreachable() throws IOException {
        int port;
        try (ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = gone.getLocalPort();
        }
        client = client(new NodeAddress("127.0.0.1", port), Duration.ofMillis(300));
        assertThat(client.ask(get("k"), ""))
                .isInstanceOfSatisfying(
                        Unreachable.class,
                        unreachable -> assertThat(unreachable.cause()).contains("refused"));
    }

    @Test
    void ask_ofSilentNode_isSilent() throws IOException {
        start((_, _, _) -> over.await());
        assertThat(client.ask(get("k"), "")).isInstanceOf(Silent.class);
    }

    @Test
    void ask_thatIsAnsweredByHalf_isSilent() throws IOException {
        start(
                (in, out, _) -> {
                    readHead(in);
                    out.write(bytes(OK.substring(0, OK.length() - 2)));
                    over.await();
                });
        assertThat(client.ask(get("k"), "")).isInstanceOf(Silent.class);
    }

    @Test
    void ask_thatIsAnsweredForever_isSilentInTheEnd() throws IOException {
        start(
                (in, out, _) -> {
                    readHead(in);
                    out.write(bytes("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"));
                    while (over.getCount() > 0) {
                        out.write('x');
                        out.flush();
                        over.await(20, TimeUnit.MILLISECONDS);
                    }
                });
        assertThat(client.ask(get("k"), "")).isInstanceOf(Silent.class);
    }

    @Test
    void ask_afterTheNodeClosed_asksAgainOnAnotherConnection() throws IOException {
        start(
                (in, out, _) -> {
                    readHead(in);
                    out.write(bytes(OK));
                });
        assertAnswered(client.ask(get("k"), ""), 200, "value");
        assertAnswered(client.ask(get("k"), ""), 200, "value");
        assertThat(node.connectionCount()).isEqualTo(2);
    }

    @Test
    void ask_whereTheNodeSaysClose_doesNotUseTheConnectionAgain() throws IOException {
        start(answering(OK.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")));
        assertAnswered(client.ask(get("k"), ""), 200, "value");
        assertAnswered(client.ask(get("k"), ""), 200, "value");
        assertThat(node.connectionCount()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH\r\n\r\n",
                "HTTP/1.1 \r\n\r\n",
                "HTTP/1.1 abc\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n"
            })
    void ask_thatIsAnsweredByGarbage_isUnreachable(String garbage) throws IOException {
        start(answering(garbage));
        assertThat(client.ask(get("k"), "")).isInstanceOf(Unreachable.class);
    }

    @Test
    void ask_thatIsAnsweredByAnEndlessHead_isUnreachable() throws IOException {
        start(
                (in, out, _) -> {
                    readHead(in);
                    out.write(bytes("HTTP/1.1 200 OK\r\nx: " + "x".repeat(100_000)));
                    over.await();
                });
        assertThat(client.ask(get("k"), "")).isInstanceOf(Unreachable.class);
    }

    @Test
    void ask_afterAFailure_worksAgain() throws IOException {
        start(
                (in, out, connection) -> {
                    InputStream requests = in;
                    readHead(requests);
                    if (connection == 1) {
                        over.await();
                    }
                    out.write(bytes(OK));
                    over.await();
                });
        assertThat(client.ask(get("k"), "")).isInstanceOf(Silent.class);
        assertAnswered(client.ask(get("k"), ""), 200, "value");
    }
}
