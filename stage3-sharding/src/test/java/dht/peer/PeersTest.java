package dht.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dht.cluster.Fingerprint;
import dht.cluster.NodeAddress;
import dht.cluster.Topology;
import dht.http.EntityRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Tests all other nodes together. */
class PeersTest {
    private static final Topology TOPOLOGY =
            Topology.of("http://a:1", List.of("http://a:1", "http://b:2", "http://c:3"));
    private static final Credentials CREDENTIALS =
            new Credentials(
                    new NodeAddress("a", 1), new Fingerprint("0123456789abcdef"), Optional.empty());

    private final CountDownLatch bothClose = new CountDownLatch(2);
    private final AtomicInteger closedCount = new AtomicInteger();

    /** Its close waits until both nodes are being closed. */
    private class Slow implements RemoteNode {
        private final NodeAddress address;

        Slow(NodeAddress address) {
            this.address = address;
        }

        @Override
        public NodeAddress address() {
            return address;
        }

        @Override
        public void ask(
                EntityRequest request, long timestampMicros, Consumer<PeerAnswer> receiver) {
            throw new AssertionError("nobody asks");
        }

        @Override
        public PeerHealth health() {
            throw new AssertionError("nobody asks");
        }

        @Override
        public int queuedCount() {
            return 0;
        }

        @Override
        public boolean isBehind() {
            return false;
        }

        @Override
        public void close() {
            bothClose.countDown();
            try {
                if (bothClose.await(5, TimeUnit.SECONDS)) {
                    closedCount.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void close_ofNodesThatTakeTheirTime_closesThemAtOnceAndWaits() {
        new Peers(TOPOLOGY, CREDENTIALS, Slow::new).close();
        assertThat(closedCount).as("closed while the other was being closed").hasValue(2);
    }

    @Test
    void close_oneNodeFails_closesTheOthersAndSaysSo() {
        RuntimeException failure = new IllegalStateException("made by the test");
        Peers peers =
                closedWith(
                        node -> {
                            if (node.host().equals("b")) {
                                throw failure;
                            }
                        });
        assertThatThrownBy(peers::close).hasCause(failure);
        assertThat(closedCount).hasValue(2);
    }

    @Test
    void close_oneNodeHasNoMemoryForIt_closesItOnceMore() {
        AtomicInteger closings = new AtomicInteger();
        closedWith(
                        _ -> {
                            if (closings.incrementAndGet() == 1) {
                                throw new OutOfMemoryError("made by the test");
                            }
                        })
                .close();
        assertThat(closedCount).as("two nodes, and one of them twice").hasValue(3);
    }

    /** Nodes that end their close with this. */
    private Peers closedWith(Consumer<NodeAddress> atTheEnd) {
        return new Peers(
                TOPOLOGY,
                CREDENTIALS,
                node ->
                        new Slow(node) {
                            @Override
                            public void close() {
                                super.close();
                                atTheEnd.accept(node);
                            }
                        });
    }

    @Test
    void open_oneNodeHasNoMemoryForItsThreads_closesTheNodesBefore() {
        bothClose.countDown(); // The one that is open closes alone.
        OutOfMemoryError failure = new OutOfMemoryError("unable to create native thread");

        assertThatThrownBy(
                        () ->
                                new Peers(
                                        TOPOLOGY,
                                        CREDENTIALS,
                                        node -> {
                                            if (node.host().equals("c")) {
                                                throw failure;
                                            }
                                            return new Slow(node);
                                        }))
                .isSameAs(failure);
        assertThat(closedCount).hasValue(1);
    }
}
