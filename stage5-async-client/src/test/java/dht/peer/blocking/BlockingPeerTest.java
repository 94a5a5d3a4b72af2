package dht.peer.blocking;

import static dht.peer.async.StubNode.bytes;
import static dht.peer.async.StubNode.readHead;
import static org.assertj.core.api.Assertions.assertThat;

import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.http.EntityRequest;
import dht.http.MemoryBudget;
import dht.peer.Credentials;
import dht.peer.PeerAnswer;
import dht.peer.PeerAnswer.Unreachable;
import dht.peer.PeerOptions;
import dht.peer.async.PeerExecutorKind;
import dht.peer.async.PeerTransport;
import dht.peer.async.StubNode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BlockingPeerTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final PeerOptions OPTIONS =
            new PeerOptions(1, 1, LONG, LONG, 3, LONG, Duration.ZERO);
    private static final Credentials CREDENTIALS =
            new Credentials(
                    new NodeAddress("self", 1),
                    new Fingerprint("0123456789abcdef"),
                    Optional.empty());
    private static final String WITH_AN_INVALID_STAMP =
            "HTTP/1.1 200 OK\r\nTimestamp-Micros: soon\r\nContent-Length: 9\r\n\r\nvalue";

    @Test
    void answer_whoseBodyIsRefused_isUnreachableAndEndsItsConnection() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        BlockingQueue<PeerAnswer> told = new LinkedBlockingQueue<>();
        try (StubNode node =
                        new StubNode(
                                (in, out, _) -> {
                                    readHead(in);
                                    out.write(bytes(WITH_AN_INVALID_STAMP));
                                    out.flush();
                                    try {
                                        in.readAllBytes();
                                    } finally {
                                        closed.countDown();
                                    }
                                });
                PeerTransport transport =
                        new PeerTransport(PeerExecutorKind.DIRECT, OPTIONS.connectTimeout());
                BlockingPeer peer =
                        BlockingPeer.overJdkClient(
                                node.address(),
                                CREDENTIALS,
                                OPTIONS,
                                transport,
                                new MemoryBudget(0))) {
            peer.ask(new EntityRequest.Get(bytes("k"), null), 0, told::add);
            assertThat(told.poll(20, TimeUnit.SECONDS)).isInstanceOf(Unreachable.class);
            assertThat(closed.await(20, TimeUnit.SECONDS)).as("its connection is closed").isTrue();
        }
    }
}
